"""A model in several files is served only whole, and then answers as the same model in one file does."""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from semif.llama.binding import Library
from semif.llama.model import LlamaModel
from tests.model.process import SMOLLM2, SMOLLM2_PROMPT, environment, run, serving
from tests.unit.builds.split_gguf import split

pytestmark = pytest.mark.model

REQUEST = {
    "decision": {
        "id": "d",
        "state": "The parcel is late.",
        "question": "Is the customer angry?",
        "options": [{"id": "y", "description": "Yes."}, {"id": "n", "description": "No."}],
    }
}


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    """SmolLM2 in three files, the first without a tensor."""
    folder = tmp_path_factory.mktemp("split")
    files = split(SMOLLM2, "smollm2", [0, 200, 72])
    for name, content in files.items():
        (folder / name).write_bytes(content)
    yield [folder / name for name in files]
    for name in files:
        (folder / name).unlink()


def variables(parts: list[Path], changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a container that serves a set."""
    further = ",".join(f"{path.stat().st_size}:{sha256(path)}" for path in parts[1:])
    return environment(parts[0], SMOLLM2_PROMPT, {"SEMIF_GGUF_PARTS": further, **(changes or {})})


def sha256(path: Path) -> str:
    """A file's digest."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def linked(parts: list[Path], folder: Path) -> list[Path]:
    """The same set in another folder, without a copy."""
    there = [folder / path.name for path in parts]
    for path, link in zip(parts, there, strict=True):
        link.hardlink_to(path)
    return there


@pytest.mark.rule(
    "a model in several files answers with the same bits as in one, and its answers name every file",
    tool="libllama v0.5.0, the container's process",
    emulated="",
)
def test_split_model_answers_as_the_whole_one(parts: list[Path]) -> None:
    """The library reads the same weights; the identity record says where from."""
    answers: list[Any] = []
    for settings in (environment(SMOLLM2, SMOLLM2_PROMPT), variables(parts)):
        with serving(settings) as container:
            answers.append(container.ask(REQUEST).json()["result"])

    whole, split_up = answers
    assert split_up["option_logits"] == whole["option_logits"]
    assert "parts" not in whole["model"]["gguf"]
    assert split_up["model"]["gguf"] == {
        "file": parts[0].name,
        "bytes": parts[0].stat().st_size,
        "sha256": sha256(parts[0]),
        "parts": [{"file": path.name, "bytes": path.stat().st_size, "sha256": sha256(path)} for path in parts[1:]],
    }


@pytest.mark.rule(
    "a split model of which a part is absent, broken or not the pinned one never becomes a healthy container",
    tool="libllama v0.5.0, the container's process",
    emulated="",
)
@pytest.mark.parametrize("number", [0, 1, 2])
def test_incomplete_set_is_refused_in_one_sentence(parts: list[Path], number: int, tmp_path: Path) -> None:
    """Whichever part it is."""
    settings, there = variables(parts, {"SEMIF_MODEL_DIR": str(tmp_path)}), linked(parts, tmp_path)
    there[number].unlink()

    ended = run(settings)

    assert (ended.returncode, ended.stdout) == (1, "")
    assert f"{there[number].name} cannot be read" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_part_with_one_other_byte_is_refused_with_both_digests(parts: list[Path], tmp_path: Path) -> None:
    """The library would load it."""
    settings, there = variables(parts, {"SEMIF_MODEL_DIR": str(tmp_path)}), linked(parts, tmp_path)
    content = bytearray(parts[2].read_bytes())
    content[-64] ^= 1
    there[2].unlink()
    there[2].write_bytes(content)

    ended = run(settings)

    assert ended.returncode == 1
    assert (
        f"{there[2].name} has sha256 {sha256(there[2])} where SEMIF_GGUF_PARTS says {sha256(parts[2])}" in ended.stderr
    )


def test_parts_that_the_first_does_not_ask_for_are_refused(parts: list[Path], tmp_path: Path) -> None:
    """The library goes by what the file says and by its name: a set of three that is named as one of two is none."""
    names = ["smollm2-00001-of-00002.gguf", "smollm2-00002-of-00002.gguf"]
    there = [tmp_path / name for name in names]
    for path, link in zip(parts, there, strict=False):
        link.hardlink_to(path)

    ended = run(variables(there))

    assert ended.returncode == 1
    assert "does not load" in ended.stderr


def test_first_file_alone_is_not_loaded_by_the_library(parts: list[Path], library: Library, tmp_path: Path) -> None:
    """Were the container told of one file only, the library itself would still refuse."""
    (tmp_path / parts[0].name).hardlink_to(parts[0])

    with pytest.raises(Exception, match="does not load"):
        LlamaModel(library, tmp_path / parts[0].name, n_gpu_layers=0)
