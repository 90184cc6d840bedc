"""A model that is served as files: what changes in build, verification, container and execution role."""

import atexit
import functools
import tempfile
from pathlib import Path
from typing import Any

import pytest

from config.loader import load
from config.model import ModelPin
from tests.template.synthesis import Template, flat, listed, read, synthesize
from tests.unit.config.environment_files import changed

SECRET = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:hub-token-AbCdEf"
SOURCE = '[model.source]\nkind = "huggingface"'
_FOLDER = tempfile.TemporaryDirectory(prefix="semif-packaging-")
atexit.register(_FOLDER.cleanup)


@functools.cache
def synthesized() -> Path:
    """Return dev's assembly with files instead of an archive and a token for the hub, once a session."""
    folder = Path(_FOLDER.name)
    token = f'packaging = "uncompressed"\n\n{SOURCE}\ntoken_secret_arn = "{SECRET}"'
    changed(folder, "dev", (SOURCE, token))
    return synthesize("dev", folder / "assembly", folder)


def uncompressed(stack: str) -> Template:
    """Return a stack's template of that environment."""
    return read(synthesized(), "dev", stack)


@pytest.fixture
def pin() -> ModelPin:
    """The pin of that environment."""
    synthesized()
    return load("dev", Path(_FOLDER.name)).model


def _allowed(content: Template, role: str) -> dict[str, Any]:
    return {action: each for each in content.statements(role) for action in listed(each["Action"])}


@pytest.mark.parametrize("stack", ["chat", "decision"])
def test_container_gets_the_verified_prefix_as_files(stack: str) -> None:
    """SageMaker is told a prefix of plain files, which only the verification's answer names."""
    content = uncompressed(stack)
    verified, _ = content.only("Custom::VerifiedModel")
    _, model = content.only("AWS::SageMaker::Model")

    assert "ModelDataUrl" not in model["PrimaryContainer"]
    assert model["PrimaryContainer"]["ModelDataSource"] == {
        "S3DataSource": {
            "CompressionType": "None",
            "S3DataType": "S3Prefix",
            "S3Uri": {"Fn::GetAtt": [verified, "ModelDataUrl"]},
        }
    }


def test_outputs_name_the_proof_and_no_archive() -> None:
    """There is none whose digest could be told."""
    outputs = uncompressed("decision").content["Outputs"]

    assert {"ModelProof", "ModelDataUrl", "GgufSha256"} <= outputs.keys()
    assert "ArchiveSha256" not in outputs


@pytest.mark.parametrize("stack", ["chat", "decision"])
def test_execution_role_reads_two_files_and_lists_their_prefix(stack: str, pin: ModelPin) -> None:
    """Nothing beside them, and no other prefix."""
    content = uncompressed(stack)
    role = content.only("AWS::SageMaker::Model")[1]["ExecutionRoleArn"]["Fn::GetAtt"][0]
    allowed = _allowed(content, role)
    bucket = "arn:<AWS::Partition>:s3:::<semif-dev-artifact-BucketName>"

    assert {flat(each) for each in listed(allowed["s3:GetObject"]["Resource"])} == {
        f"{bucket}/{key}" for key in pin.served_keys
    }
    assert flat(allowed["s3:ListBucket"]["Resource"]) == bucket
    assert allowed["s3:ListBucket"]["Condition"] == {"StringEquals": {"s3:prefix": pin.served_prefix}}
    assert pin.served_prefix.endswith("/")


def test_build_is_told_the_packaging_and_the_secret_but_no_token(pin: ModelPin) -> None:
    """It may write the two files and the record, and read exactly that secret."""
    content = uncompressed("build")
    _, project = content.named("ModelPackage", "AWS::CodeBuild::Project")
    told = {each["Name"]: each for each in project["Environment"]["EnvironmentVariables"]}
    allowed = _allowed(content, project["ServiceRole"]["Fn::GetAtt"][0])

    assert told["MODEL_PACKAGING"]["Value"] == "uncompressed"
    assert told["ARTIFACT_KEY"]["Value"] == pin.object_key
    assert told["MODEL_TOKEN_SECRET"]["Value"] == SECRET
    assert {each["Type"] for each in told.values()} == {"PLAINTEXT"}
    assert allowed["secretsmanager:GetSecretValue"]["Resource"] == SECRET
    written = {flat(each).partition("/")[2] for each in listed(allowed["s3:AbortMultipartUpload"]["Resource"])}
    assert written == {*pin.served_keys, pin.side_copy_key}
