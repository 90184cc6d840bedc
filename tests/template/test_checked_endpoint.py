"""The check of a deployed endpoint: last of its stack, told every pin, allowed to ask this endpoint alone."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.content import declared_text
from semif import ADAPTER_VERSION
from semif.decision import PROMPT_VERSION
from tests.template.synthesis import ENVIRONMENTS, Template, flat, listed, read, settings_of, synthesize, template
from tests.template.variants import variant
from tests.unit.config.environment_files import changed

ENDPOINTS = {
    f"{environment}-{stack}": (environment, stack) for environment in ENVIRONMENTS for stack in ("chat", "decision")
}
# An environment with all that the repository's own leave out: scaling, another strategy, a VPC.
EVERYTHING = {f"canary-{stack}": stack for stack in ("chat", "decision")}
KIND = "Custom::CheckedEndpoint"


def endpoint_stack(case: str) -> Template:
    """Return the template of one case."""
    return template(*ENDPOINTS[case]) if case in ENDPOINTS else variant("canary", EVERYTHING[case])


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
@pytest.mark.parametrize("case", [*ENDPOINTS, *EVERYTHING])
def test_check_comes_after_everything_else(case: str) -> None:
    """Whatever else fails, fails before; and what passes was checked with all of it there."""
    content = endpoint_stack(case)
    check, _ = content.only(KIND)

    assert everything_before(content, check) == content.resources.keys() - {check}


@pytest.mark.parametrize("case", [*ENDPOINTS, *EVERYTHING])
def test_check_is_told_every_property_of_model_and_configuration(case: str) -> None:
    """What is compared is what the template asks for, so that a property added tomorrow is compared too."""
    content = endpoint_stack(case)
    _, properties = content.only(KIND)

    for name, kind in (("Model", "AWS::SageMaker::Model"), ("EndpointConfig", "AWS::SageMaker::EndpointConfig")):
        _, asked = content.only(kind)
        assert asked_for(properties, name) == flattened({**asked})
    config, _ = content.only("AWS::SageMaker::EndpointConfig")
    assert properties["EndpointConfigName"] == {"Fn::GetAtt": [config, "EndpointConfigName"]}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_decision_check_is_told_every_pin(environment: str) -> None:
    """The identity record and the prompt's digest are wanted as the settings and the container's sources say."""
    settings, content = settings_of(environment), template(environment, "decision")
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


def test_scaled_endpoint_is_checked_without_its_number_of_instances() -> None:
    """A fleet that follows its load is not compared with the number it began with."""
    for content, scaled in ((template("dev", "decision"), "false"), (variant("canary", "decision"), "true")):
        assert content.only(KIND)[1]["Scaled"] == scaled


HUB = '[chat.hub_model]\nrepository = "owner/name-GGUF"\nfile = "name-q4.gguf"\n\n[decision]\n'


@pytest.mark.parametrize(
    ("table", "kind", "wanted"),
    [
        ("[decision]\n", "chat", {"object": "chat.completion", "model": "Qwen_Qwen3.5-4B-Q4_K_M.gguf"}),
        (HUB, "chat", {"object": "chat.completion"}),
        ("[chat.server]\nembeddings = true\n\n[decision]\n", "unasked", {}),
        ("[chat.server]\nreranking = true\n\n[decision]\n", "unasked", {}),
    ],
)
def test_chat_check_wants_what_its_server_tells(tmp_path: Path, table: str, kind: str, wanted: dict[str, str]) -> None:
    """The file that is served is named, unless it comes from the hub; what completes nothing is not asked."""
    changed(tmp_path, "dev", ("[decision]\n", table))
    _, properties = read(synthesize("dev", tmp_path / "out", tmp_path), "dev", "chat").only(KIND)

    assert (properties["Kind"], asked_for(properties, "Answer")) == (kind, wanted)
