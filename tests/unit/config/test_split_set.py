"""A GGUF in several files is pinned file by file, and only as a whole set."""

import json
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from config.loader import load
from config.model import ModelPin
from config.settings import Settings
from constructs_lib.container_environment import ContainerEnvironment
from constructs_lib.wanted_answer import WantedAnswer
from tests.unit.config.environment_files import changed

DEV = load("dev")
FIRST = "a-00001-of-00003.gguf"
PARTS = [
    {"file": "a-00002-of-00003.gguf", "bytes": 7, "sha256": "d" * 64},
    {"file": "a-00003-of-00003.gguf", "bytes": 8, "sha256": "e" * 64},
]


def pin(**changes: object) -> ModelPin:
    """Return dev's model as a set of three files, but for some changes."""
    given: dict[str, Any] = DEV.model.model_dump() | {"file": FIRST, "parts": PARTS} | changes
    return TypeAdapter(ModelPin).validate_python(given)


def test_complete_set_is_one_model() -> None:
    """Its files are the first and the parts, its size is that of all, and all are named in its manifest."""
    model = pin()

    assert [file.file for file in model.files] == [FIRST, PARTS[0]["file"], PARTS[1]["file"]]
    assert model.total_bytes == DEV.model.bytes + 15
    assert json.loads(model.manifest)["parts"] == PARTS
    assert model.further_parts == f"7:{'d' * 64},8:{'e' * 64}"


def test_set_that_is_served_as_files_lies_under_one_prefix() -> None:
    """The first file's key is written last; the manifest and the parts lie beside it."""
    model = pin(packaging="uncompressed")

    names = [key.removeprefix(model.served_prefix) for key in model.served_keys]
    assert model.object_key == f"{model.served_prefix}{FIRST}"
    assert names == [FIRST, "model-manifest.json", PARTS[0]["file"], PARTS[1]["file"]]


def test_other_part_is_another_key() -> None:
    """The first file's digest alone does not say what the set is."""
    other = pin(parts=[PARTS[0], PARTS[1] | {"sha256": "f" * 64}])

    assert other.sha256 == pin().sha256
    assert other.object_key != pin().object_key


def test_single_file_has_no_word_of_parts_in_its_manifest() -> None:
    """Nor of a folder: what was published before there were sets keeps its key."""
    manifest = json.loads(DEV.model.manifest)

    assert "parts" not in manifest
    assert "folder" not in manifest["source"]


@pytest.mark.rule(
    "a split model is pinned whole: complete, in order, from its first part, or refused at synthesis",
    tool="pydantic",
    emulated="",
)
@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"parts": []}, "must be a-00002-of-00003.gguf, a-00003-of-00003.gguf in this order, not absent"),
        ({"parts": PARTS[:1]}, "in this order, not a-00002-of-00003.gguf"),
        ({"parts": PARTS[::-1]}, "in this order, not a-00003-of-00003.gguf, a-00002-of-00003.gguf"),
        ({"parts": [*PARTS, PARTS[1]]}, "in this order"),
        ({"parts": [PARTS[0], PARTS[1] | {"file": "b-00003-of-00003.gguf"}]}, "in this order"),
        ({"parts": [PARTS[0], PARTS[1] | {"file": "A-00003-of-00003.gguf"}]}, "in this order"),
        ({"file": "a-00001-of-00001.gguf"}, "must be absent in this order"),
        ({"file": "a-00002-of-00003.gguf"}, "must be the first part of the set, …-00001-of-00003.gguf"),
        ({"file": "a-00000-of-00003.gguf"}, "must be the first part of the set"),
        ({"file": "a.gguf"}, "begins with one named …-00001-of-NNNNN.gguf, not a.gguf"),
        ({"file": "a-1-of-3.gguf"}, "begins with one named …-00001-of-NNNNN.gguf"),
        ({"file": "a.gguf.part1of3"}, "bare name"),
        ({"file": "a-00001-of-00014.gguf"}, "at most 13 parts, not 14"),
        ({"parts": [PARTS[0], PARTS[1] | {"sha256": "d" * 64}]}, "one is there twice"),
        ({"parts": [PARTS[0], PARTS[1] | {"sha256": DEV.model.sha256}]}, "one is there twice"),
        ({"parts": [PARTS[0], PARTS[1] | {"bytes": 0}]}, "greater than 0"),
        ({"parts": [PARTS[0], {"file": PARTS[1]["file"], "bytes": 8}]}, "sha256"),
        ({"parts": [PARTS[0], PARTS[1] | {"bytes": 33 * 10**9}]}, "36013027815 bytes take 1801 s of the download"),
        ({"source": {"kind": "s3", "uri": "s3://models/x.gguf"}}, "must end in the first one's name, a-00001-of"),
    ],
)
def test_set_that_is_not_whole_is_refused(changes: dict[str, object], rule: str) -> None:
    """llama.cpp finds the others by the first one's name: what is absent or misnamed fails on an instance only."""
    with pytest.raises(ValidationError) as refused:
        pin(**changes)

    assert rule in str(refused.value)


def test_single_file_may_be_named_as_a_set_of_one() -> None:
    """Tools that split leave such names where one file is enough."""
    assert pin(file="a-00001-of-00001.gguf", parts=[]).files[0].file == "a-00001-of-00001.gguf"


def test_set_of_s3_lies_beside_its_first_file() -> None:
    """Only then the others' addresses follow from the first one's."""
    model = pin(source={"kind": "s3", "uri": f"s3://models/q8/{FIRST}"})

    assert model.source.kind == "s3"
    assert model.source.beside("a-00002-of-00003.gguf") == "q8/a-00002-of-00003.gguf"


def settings(tmp_path: Any) -> Settings:
    """Return dev with the set, from a file."""
    tables = "".join(
        f'[[model.parts]]\nfile = "{part["file"]}"\nbytes = {part["bytes"]}\nsha256 = "{part["sha256"]}"\n\n'
        for part in PARTS
    )
    changed(
        tmp_path,
        "dev",
        ('"Qwen_Qwen3.5-4B-Q4_K_M.gguf"', f'"{FIRST}"'),
        ("[model.tokenizer]", f'folder = "Q4_K_M"\n\n{tables}[model.tokenizer]'),
    )
    return load("dev", tmp_path)


def test_containers_are_told_the_first_file_and_the_decision_container_all_of_them(tmp_path: Any) -> None:
    """llama-server opens the first and finds the others; ours proves each before it opens any."""
    given = settings(tmp_path)

    chat = ContainerEnvironment.of_chat(given.model, given.chat).variables
    decision = ContainerEnvironment.of_decision(given.model, given.decision, image_digest="sha256:x").variables

    assert chat["SM_LLAMA_CPP_MODEL"] == f"/opt/ml/model/{FIRST}"
    assert decision["SEMIF_MODEL_FILE"] == FIRST
    assert decision["SEMIF_GGUF_PARTS"] == f"7:{'d' * 64},8:{'e' * 64}"
    assert given.model.source.model_dump()["folder"] == "Q4_K_M"


def test_most_parts_fit_into_a_variable() -> None:
    """SageMaker takes 1024 characters; sizes have at most 15 digits."""
    parts = [
        {"file": f"a-{number:05}-of-00013.gguf", "bytes": 10**9, "sha256": f"{number:064x}"} for number in range(2, 14)
    ]
    model = pin(file="a-00001-of-00013.gguf", parts=parts)

    assert len(model.further_parts) + 12 * (15 - 10) <= 1024


def test_answer_is_wanted_with_every_part(tmp_path: Any) -> None:
    """The check after a deployment compares what the container measured of each."""
    given = settings(tmp_path)

    wanted = WantedAnswer.of_decision(given.model, given.decision, image_digest="sha256:x")

    assert wanted.fields["model"]["gguf"]["parts"] == PARTS  # type: ignore[index] # JSON
