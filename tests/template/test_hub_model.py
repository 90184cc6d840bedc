"""A chat model of the hub: another type, said to be unverified wherever a model's identity is shown."""

from pathlib import Path

import aws_cdk as cdk
import pytest
from aws_cdk import aws_kms as kms

from config.rules import ConfigurationError
from constructs_lib.container_environment import ContainerEnvironment
from constructs_lib.image_source import ImageSource
from constructs_lib.inference_endpoint import InferenceEndpoint
from constructs_lib.log_group import LogSettings
from constructs_lib.pinned_image import PinnedImage
from constructs_lib.production_variant import ProductionVariant
from constructs_lib.unverified_hub_model import UnverifiedHubModel
from tests.template.synthesis import STACKS, Template, flat, read, settings_of, synthesize, template
from tests.unit.config.environment_files import changed, refusal

HUB = '[chat.hub_model]\nrepository = "owner/name-GGUF"\nfile = "name-q4.gguf"\n\n[decision]\n'
ON_HUB = ("[decision]\n", HUB)


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Template]:
    """The stacks of dev with a chat model of the hub."""
    folder = tmp_path_factory.mktemp("hub")
    synthesize("dev", folder / "out", changed(folder, "dev", ON_HUB))
    return {stack: read(folder / "out", "dev", stack) for stack in STACKS}


def test_model_of_the_hub_is_downloaded_by_its_container(hub: dict[str, Template]) -> None:
    """Repository and file are named, no archive is, and the container may reach the network."""
    _, model = hub["chat"].only("AWS::SageMaker::Model")

    assert model["PrimaryContainer"]["Environment"] == {
        "SM_LLAMA_CPP_HF_REPO": "owner/name-GGUF",
        "SM_LLAMA_CPP_HF_FILE": "name-q4.gguf",
        "SM_LLAMA_CPP_CTX_SIZE": "4096",
    }
    assert "ModelDataUrl" not in model["PrimaryContainer"]
    assert model["EnableNetworkIsolation"] is False


@pytest.mark.rule("A model of the hub is shown as unverified wherever a model is shown", tool="CDK", emulated="")
def test_model_of_the_hub_is_shown_as_unverified(hub: dict[str, Template]) -> None:
    """In the stack's outputs and description, and in the tags of model, configuration and endpoint."""
    chat = hub["chat"]

    assert not {"ModelDataUrl", "GgufSha256", "ModelProof", "ArchiveSha256"} & set(chat.content["Outputs"])
    assert chat.content["Outputs"]["Model"]["Value"].startswith("UNVERIFIED: owner/name-GGUF/name-q4.gguf of the Hug")
    assert flat(chat.content["Outputs"]["Serves"]["Value"]).startswith("UNVERIFIED: <CheckedEndpoint")
    assert chat.content["Description"] == "Chat endpoint, model UNVERIFIED"
    for kind in ("Model", "EndpointConfig", "Endpoint"):
        assert {"Key": "semif:model", "Value": "unverified"} in chat.only(f"AWS::SageMaker::{kind}")[1]["Tags"]


def test_model_of_the_hub_gives_its_role_nothing_to_read(hub: dict[str, Template]) -> None:
    """No archive is verified, and the execution role reads neither bucket nor data."""
    chat = hub["chat"]
    _, model = chat.only("AWS::SageMaker::Model")
    statements = chat.statements(model["ExecutionRoleArn"]["Fn::GetAtt"][0])

    assert not chat.of_type("Custom::VerifiedModel")
    assert not [each for each in statements if "s3:" in str(each["Action"]) or "kms:Decrypt" in str(each["Action"])]


def test_decision_endpoint_keeps_its_verified_model(hub: dict[str, Template]) -> None:
    """The hub is an alternative of the chat endpoint alone: every other stack is the same."""
    for stack in ("artifact", "build", "decision"):
        assert hub[stack].content == template("dev", stack).content


@pytest.mark.parametrize(
    ("environment", "changes", "key", "rule"),
    [
        (
            "prod",
            [ON_HUB],
            "chat.hub_model",
            "owner/name-GGUF is downloaded unpinned: nothing can verify it, so it is refused where protection.term",
        ),
        ("dev", [ON_HUB, ("owner/name-GGUF", "owner/name-GGUF:Q4_K_M")], "chat.hub_model.repository", "owner/name of"),
        ("dev", [ON_HUB, ("name-q4.gguf", "name-00001-of-00002.gguf")], "chat.hub_model.file", "split set"),
        ("dev", [ON_HUB, ('file = "name-q4.gguf"', "")], "chat.hub_model.file", "is required and missing"),
        ("dev", [("[decision]\n", HUB.replace("chat", "decision"))], "decision.hub_model", "is not a known key"),
    ],
)
def test_model_of_the_hub_that_may_not_be_served_is_refused(
    tmp_path: Path, environment: str, changes: list[tuple[str, str]], key: str, rule: str
) -> None:
    """Not in a protected environment, not for decisions, and only one file of one repository."""
    sentence = refusal(tmp_path, environment, *changes)

    assert f"{environment}.toml: {key}: " in sentence
    assert rule in sentence


def test_endpoint_does_not_take_a_model_of_the_hub_with_an_environment_of_an_archive() -> None:
    """What the container would do and what its model says it is must agree, or nothing is created."""
    settings = settings_of("dev")
    stack = cdk.Stack()
    key = kms.Key(stack, "Key")
    logs = LogSettings(key, 7)
    source = ImageSource.deep_learning_container(stack, name="llama-cpp", registry_account=None)

    with pytest.raises(ConfigurationError, match="of the hub, and only that, is named in the container's environment"):
        InferenceEndpoint(
            stack,
            "Endpoint",
            model=UnverifiedHubModel("owner/name", "a.gguf"),
            image=PinnedImage(
                stack, "Image", source=source, reference="sha256:" + "0" * 64, platform="linux/amd64", logs=logs
            ),
            environment=ContainerEnvironment.of_chat(settings.model, settings.chat),
            variant=ProductionVariant(settings.chat),
            encryption_key=key,
            logs=logs,
        )
