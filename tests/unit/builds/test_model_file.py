"""One exact file is named or the pin is refused; no result depends on which file comes first, or on letter case."""

import re
from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from config.loader import load
from config.model import ModelPin
from constructs_lib.container_environment import DLC_PREFIX, DLC_VARIABLES, ContainerEnvironment
from constructs_lib.model_package_project import package_variables
from download import Patience
from model_pin import PackagingError
from package_model import package
from project_environment import read_pin
from tests.unit.builds.fake_store import FakeStore
from tests.unit.builds.pins import environment
from tests.unit.builds.places import in_store
from tests.unit.builds.tiny_gguf import ENTRIES, STRING, entry, text, tiny_gguf
from tests.unit.config.environment_files import completed

MODEL = tiny_gguf()
PROJECTOR = tiny_gguf((*ENTRIES, entry(b"general.type", STRING, text(b"mmproj"))))


@pytest.mark.rule(
    "whatever lies beside the model, exactly the pinned file is published, and a projector never is",
    tool="the build's own script",
    emulated="",
)
@pytest.mark.parametrize("name", ["tiny-q4.gguf", "Tiny-Q4.gguf"])
def test_the_named_file_is_published_whatever_lies_beside_it(name: str, tmp_path: Path) -> None:
    """A projector that sorts before or after the model, or a second model, changes nothing."""
    beside = {"mmproj-F16.gguf": PROJECTOR, "x.gguf": MODEL[::-1], "y.gguf": MODEL[::-1]}
    store = FakeStore(objects={name: MODEL, **beside})
    pin = read_pin(environment(MODEL))

    package(pin, in_store(store, name), store, tmp_path, Patience())

    assert store.objects.keys() - {name, *beside} == {pin.key, pin.side_copy_key}


def test_a_projector_is_refused_even_when_it_is_what_is_pinned(tmp_path: Path) -> None:
    """Its size and digest agree with the pin; what it is does not."""
    store = FakeStore(objects={"k": PROJECTOR})

    with pytest.raises(PackagingError, match="is no language model"):
        package(read_pin(environment(PROJECTOR)), in_store(store), store, tmp_path, Patience())

    assert set(store.objects) == {"k"}


@pytest.mark.parametrize(
    ("file", "rule"),
    [
        ("tiny-00002-of-00002.gguf", "must be the first part of the set, …-00001-of-00002.gguf"),
        ("tiny-00001-of-00002.gguf", "must be tiny-00002-of-00002.gguf in this order, not absent"),
        ("tiny.gguf.part1of2", "of a .gguf file"),
        ("a/b/deep.gguf", "the bare name"),
        ("mmproj-F16.gguf", "not a projector"),
        ("MMPROJ-model.gguf", "not a projector"),
    ],
)
def test_a_file_that_is_no_whole_model_is_refused_by_its_name(file: str, rule: str) -> None:
    """Settings refuse what the container would pick by its place in the alphabet."""
    given = load("dev").model.model_dump() | {"file": file}

    with pytest.raises(ValidationError, match=re.escape(rule)):
        TypeAdapter(ModelPin).validate_python(given, strict=True)


@pytest.mark.parametrize("environment_name", ["dev", "prod", "graviton", "local"])
def test_the_chat_container_is_told_exactly_one_file(environment_name: str, tmp_path: Path) -> None:
    """The variable that names the file is there, and none that the container would turn into an unknown flag."""
    settings = load(environment_name, completed(tmp_path))

    variables = ContainerEnvironment.of_chat(settings.model, settings.chat).variables

    assert variables["SM_LLAMA_CPP_MODEL"] == f"/opt/ml/model/{settings.model.file}"
    assert package_variables(settings.model, "b")["MODEL_FILE"] == settings.model.file
    assert {name for name in variables if name.startswith(DLC_PREFIX)} <= DLC_VARIABLES
    assert all(value and value != "false" and "\n" not in value for value in variables.values())
