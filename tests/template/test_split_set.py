"""A model in several files: what build, verification, container and roles are told of each."""

import atexit
import functools
import json
import tempfile
from pathlib import Path

import pytest

from config.loader import load
from config.model import ModelPin
from tests.template.synthesis import Template, flat, listed, read, synthesize
from tests.unit.config.environment_files import changed

FIRST = "smollm2-00001-of-00003.gguf"
PARTS = "".join(
    f'[[model.parts]]\nfile = "smollm2-{number:05}-of-00003.gguf"\nbytes = {number}\nsha256 = "{number:064x}"\n\n'
    for number in (2, 3)
)
WHOLE = "SmolLM2-135M-Instruct.Q4_1.gguf"
_FOLDER = tempfile.TemporaryDirectory(prefix="semif-split-")
atexit.register(_FOLDER.cleanup)


@functools.cache
def synthesized() -> Path:
    """Return the assembly of local with a set of three that is served as files, once a session."""
    folder = Path(_FOLDER.name)
    changed(
        folder,
        "local",
        (WHOLE, FIRST),
        ('license = "apache-2.0"', 'license = "apache-2.0"\npackaging = "uncompressed"'),
        ("[images]\n", f"{PARTS}[images]\n"),
    )
    return synthesize("local", folder / "assembly", folder)


@pytest.fixture
def pin() -> ModelPin:
    """The pin of that environment."""
    synthesized()
    return load("local", Path(_FOLDER.name)).model


def template(stack: str) -> Template:
    """Return a stack's template of that environment."""
    return read(synthesized(), "local", stack)


def _resources(content: Template, role: str, action: str) -> set[str]:
    statements = [each for each in content.statements(role) if action in listed(each["Action"])]
    return {flat(resource) for each in statements for resource in listed(each["Resource"])}


@pytest.mark.parametrize("stack", ["chat", "decision"])
def test_verification_and_execution_role_know_every_part(stack: str, pin: ModelPin) -> None:
    """What is not proven cannot be read, and the other way round."""
    content = template(stack)
    _, verified = content.only("Custom::VerifiedModel")
    role = content.only("AWS::SageMaker::Model")[1]["ExecutionRoleArn"]["Fn::GetAtt"][0]

    assert verified["GgufFile"] == FIRST
    assert verified["FurtherParts"] == f"2:{2:064x},3:{3:064x}"
    read_keys = {resource.partition("/")[2] for resource in _resources(content, role, "s3:GetObject")}
    assert read_keys == set(pin.served_keys)
    assert len(read_keys) == 4


def test_build_reads_each_part_beside_the_first_and_writes_each(pin: ModelPin) -> None:
    """The manifest tells it which there are."""
    content = template("build")
    _, project = content.named("ModelPackage", "AWS::CodeBuild::Project")
    told = {each["Name"]: each["Value"] for each in project["Environment"]["EnvironmentVariables"]}
    role = project["ServiceRole"]["Fn::GetAtt"][0]

    names = [f"smollm2-{number:05}-of-00003.gguf" for number in (1, 2, 3)]
    assert [part["file"] for part in json.loads(told["MANIFEST"])["parts"]] == names[1:]
    sources = {each for each in _resources(content, role, "s3:GetObject") if "semif-local-models" in each}
    assert sources == {f"arn:<AWS::Partition>:s3:::semif-local-models/{name}" for name in names}
    written = {each.partition("/")[2] for each in _resources(content, role, "s3:AbortMultipartUpload")}
    assert written == {*pin.served_keys, pin.side_copy_key}


def test_containers_open_the_first_file() -> None:
    """The chat container finds the others by its name; the decision container is told their digests."""
    environments = {
        stack: template(stack).only("AWS::SageMaker::Model")[1]["PrimaryContainer"]["Environment"]
        for stack in ("chat", "decision")
    }

    assert environments["chat"]["SM_LLAMA_CPP_MODEL"] == f"/opt/ml/model/{FIRST}"
    assert environments["decision"]["SEMIF_MODEL_FILE"] == FIRST
    assert environments["decision"]["SEMIF_GGUF_PARTS"] == f"2:{2:064x},3:{3:064x}"
