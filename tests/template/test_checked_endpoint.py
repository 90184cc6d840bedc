import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk import assertions
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3

from config.content import declared_text
from config.loader import load
from constructs_lib.checked_endpoint import CheckedEndpoint
from constructs_lib.container_environment import ContainerEnvironment
from constructs_lib.image_source import ImageSource
from constructs_lib.inference_endpoint import InferenceEndpoint
from constructs_lib.log_group import LogSettings
from constructs_lib.pinned_image import PinnedImage
from constructs_lib.production_variant import ProductionVariant
from constructs_lib.verified_model import VerifiedModel
from constructs_lib.wanted_answer import WantedAnswer
from semif import ADAPTER_VERSION
from semif.decision import PROMPT_VERSION
from tests.template.synthesis import ENVIRONMENTS, Template, flat, listed, read, synthesize, template
from tests.unit.config.environment_files import changed

ENDPOINTS = [(environment, stack) for environment in ENVIRONMENTS for stack in ("chat", "decision")]
KIND = "Custom::CheckedEndpoint"


def needed(resource: Any) -> Iterator[str]:
    """Return every logical id that a resource names: what CloudFormation makes before it."""
    match resource:
        case {"Ref": str(name)}:
            yield name
        case {"Fn::GetAtt": [str(name), _]}:
            yield name
        case dict():
            for key, value in resource.items():
                yield from listed(value) if key == "DependsOn" else needed(value)
        case list():
            for value in resource:
                yield from needed(value)


def everything_before(content: Template, name: str) -> set[str]:
    """Return the resources that are complete before one is begun."""
    found, open_names = set[str](), [name]
    while open_names:
        resource = content.resources.get(open_names.pop(), {})
        new = set(needed(resource)) & content.resources.keys() - found
        found |= new
        open_names += new
    return found


def asked_for(properties: Any, name: str) -> Any:
    """Return the JSON in one property of the check, functions in it as text."""
    return json.loads(flat(properties[name]))


def flattened(value: Any) -> Any:
    """Return a template's value with its functions as text, as they stand in the check's properties."""
    match value:
        case {"Fn::GetAtt": _} | {"Ref": _} | {"Fn::ImportValue": _} | {"Fn::Join": _}:
            return flat(value)
        case dict():
            return {key: flattened(each) for key, each in value.items()}
        case list():
            return [flattened(each) for each in value]
    return value


@pytest.mark.rule("the post-deploy check comes after everything else of its stack", tool="CDK", emulated="")
@pytest.mark.parametrize(("environment", "stack"), ENDPOINTS)
def test_check_comes_after_everything_else(environment: str, stack: str) -> None:
    """Whatever else fails, fails before; and what passes was checked with all of it there."""
    content = template(environment, stack)
    check, _ = content.only(KIND)

    assert everything_before(content, check) == content.resources.keys() - {check}


@pytest.mark.parametrize(("environment", "stack"), ENDPOINTS)
def test_check_is_told_every_property_of_model_and_configuration(environment: str, stack: str) -> None:
    """What is compared is what the template asks for, so that a property added tomorrow is compared too."""
    content = template(environment, stack)
    _, properties = content.only(KIND)

    for name, kind in (("Model", "AWS::SageMaker::Model"), ("EndpointConfig", "AWS::SageMaker::EndpointConfig")):
        _, asked = content.only(kind)
        assert asked_for(properties, name) == flattened({**asked})
    config, _ = content.only("AWS::SageMaker::EndpointConfig")
    assert properties["EndpointConfigName"] == {"Fn::GetAtt": [config, "EndpointConfigName"]}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_decision_check_is_told_every_pin(environment: str) -> None:
    """The identity record and the prompt's digest are wanted as the settings and the container's sources say."""
    settings, content = load(environment), template(environment, "decision")
    _, properties = content.only(KIND)
    image, _ = content.only("Custom::PinnedImage")
    wanted, pin = asked_for(properties, "Answer"), settings.model

    assert wanted["prompt_sha256"] == pin.known_prompt_sha256
    assert wanted["model"].pop("template_sha256", None) == pin.template_sha256
    tokenizer = pin.tokenizer and {"source": pin.tokenizer.repository, "revision": pin.tokenizer.revision}
    assert wanted["model"] == {
        "name": pin.name,
        "gguf": {"file": pin.file, "bytes": pin.bytes, "sha256": pin.sha256},
        "prompt_version": PROMPT_VERSION,
        "tokenizer": tokenizer,
        "n_gpu_layers": settings.decision.gpu_layers,
        "threads": settings.decision.threads,
        "context_tokens": settings.decision.context_tokens,
        "serving_path": "canonical",
        "image_digest": f"<{image}.Digest>",
        "adapter_version": ADAPTER_VERSION,
    }


def test_text_that_a_module_does_not_declare_is_named() -> None:
    """A version that moved is seen at synthesis."""
    with pytest.raises(LookupError, match=r"semif/decision\.py of the container assigns no text to LETTERS_VERSION"):
        declared_text("LETTERS_VERSION", "semif/decision.py")


@pytest.mark.parametrize("stack", ["chat", "decision"])
def test_check_may_describe_and_ask_this_endpoint_and_nothing_else(stack: str) -> None:
    """Every resource is the ARN of one thing, also where CloudFormation makes the name."""
    content = template("prod", stack)
    _, function = content.named("CheckedEndpointProviderOnEvent", "AWS::Lambda::Function")
    allowed = {
        (action, flat(resource))
        for statement in content.statements(function["Role"]["Fn::GetAtt"][0])
        for action in listed(statement["Action"])
        for resource in listed(statement["Resource"])
        if not action.startswith("logs:")
    }
    endpoint, config, model = (
        content.only(f"AWS::SageMaker::{kind}")[0] for kind in ("Endpoint", "EndpointConfig", "Model")
    )

    assert allowed == {
        ("sagemaker:DescribeEndpoint", f"<{endpoint}>"),
        ("sagemaker:InvokeEndpoint", f"<{endpoint}>"),
        ("sagemaker:DescribeEndpointConfig", f"<{config}>"),
        ("sagemaker:DescribeModel", f"<{model}>"),
    }


@pytest.mark.parametrize("stack", ["chat", "decision"])
def test_check_has_time_for_its_patience_and_one_long_answer(stack: str) -> None:
    """The function outlives what it waits for, and the resource outlives the function."""
    content = template("prod", stack)
    _, function = content.named("CheckedEndpointProviderOnEvent", "AWS::Lambda::Function")
    _, resource = content.only(KIND)

    assert function["Timeout"] == 900
    assert 900 < int(resource["ServiceTimeout"]) < 3600


@pytest.mark.parametrize(
    ("stack", "replacement"),
    [
        ("chat", ("ml.c6i.2xlarge", "ml.c6i.4xlarge")),
        ("chat", ("initial_instance_count = 1", "initial_instance_count = 2")),
        ("chat", ("startup_health_check_timeout_seconds = 900", "startup_health_check_timeout_seconds = 901")),
        ("chat", ("context_tokens = 4096", "context_tokens = 2048")),
        ("decision", ("threads = 32", "threads = 16")),
        ("decision", ("max_waiting = 4", "max_waiting = 5")),
        ("decision", ("016267542103ab91422c425d2234ec7e1b9aef77f9d3e481b96db2de7cca470a", "0" * 64)),
        ("decision", ("1f19c220f5f169228f20cdddca00f4838be22a3a1ce9002bc444006adc3d6d43", "0" * 64)),
        ("chat", ("1f19c220f5f169228f20cdddca00f4838be22a3a1ce9002bc444006adc3d6d43", "0" * 64)),
        ("decision", ("851bf6e806efd8d0a36b00ddf55e13ccb7b8cd0a", "0" * 40)),
    ],
)
def test_changed_endpoint_is_checked_by_a_new_resource(
    tmp_path: Path, stack: str, replacement: tuple[str, str]
) -> None:
    """A new check is rolled back by a delete, which does nothing; an update would have to pass once more."""
    changed(tmp_path, "dev", replacement)
    after = read(synthesize("dev", tmp_path / "out", tmp_path), "dev", stack)

    assert re.fullmatch(r"CheckedEndpoint[0-9a-f]{16}", after.only(KIND)[0])
    assert after.only(KIND)[0] != template("dev", stack).only(KIND)[0]


def test_change_beside_the_endpoint_checks_nothing_again(tmp_path: Path) -> None:
    """How long logs are kept is nothing that an endpoint runs."""
    changed(tmp_path, "dev", ("log_retention_days = 90", "log_retention_days = 30"))
    folder = synthesize("dev", tmp_path / "out", tmp_path)

    for stack in ("chat", "decision"):
        assert read(folder, "dev", stack).only(KIND)[0] == template("dev", stack).only(KIND)[0]


@pytest.mark.parametrize(("retained", "scaled"), [(True, "true"), (None, "false")])
def test_scaled_endpoint_is_checked_without_its_number_of_instances(retained: bool | None, scaled: str) -> None:  # noqa: FBT001 - the property's own values
    """An endpoint that keeps its number of instances at a deployment is not compared with the number it began with."""
    settings = load("dev")
    stack = cdk.Stack(cdk.App(), "Stack")
    key = kms.Key.from_key_arn(stack, "Key", "arn:aws:kms:eu-central-1:111122223333:key/1")
    logs = LogSettings(key, 7)
    bucket = s3.Bucket.from_bucket_name(stack, "Bucket", "artifacts")
    source = ImageSource.in_registry(stack, registry_id="111122223333", name="llama-cpp")
    endpoint = InferenceEndpoint(
        stack,
        "Endpoint",
        model=VerifiedModel(stack, "Model", pin=settings.model, bucket=bucket, encryption_key=key, logs=logs),
        image=PinnedImage(stack, "Image", source=source, reference=settings.images.chat.digest, logs=logs),
        environment=ContainerEnvironment.of_chat(settings.model, settings.chat),
        variant=ProductionVariant(settings.chat),
        encryption_key=key,
        logs=logs,
    )
    endpoint.endpoint.retain_all_variant_properties = retained
    CheckedEndpoint(stack, "Checked", endpoint=endpoint, answer=WantedAnswer.of_chat("a.gguf"), logs=logs)

    _, properties = Template(assertions.Template.from_stack(stack).to_json()).only(KIND)

    assert properties["Scaled"] == scaled
