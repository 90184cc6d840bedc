from pathlib import Path

import pytest

from constructs_lib.resource_provider import HANDLERS, handler_version
from tests.template.synthesis import Template, all_templates, flat, template

STACKS = [pytest.param(content, id=f"{environment}-{stack}") for environment, stack, content in all_templates()]
CUSTOM_RESOURCES = (
    "Custom::VerifiedModel",
    "Custom::PinnedImage",
    "Custom::ImageScanGate",
    "Custom::BuildRun",
    "Custom::CheckedEndpoint",
)
# As of 2026-11-29, with the day Lambda stops creating functions on each: the framework's comes with the CDK.
RUNTIMES = {"python3.14": "2029-07-31", "nodejs24.x": "2028-06-01"}


@pytest.mark.parametrize("content", STACKS)
def test_runtime_is_one_of_a_dated_list(content: Template) -> None:
    """A runtime that the CDK brings in is seen here before a deployment is refused for it."""
    for function in content.of_type("AWS::Lambda::Function").values():
        runtime = flat(function["Properties"]["Runtime"])
        if runtime == "<LatestNodeRuntimeMap>":
            runtimes = {entry["value"] for entry in content.content["Mappings"]["LatestNodeRuntimeMap"].values()}
            assert runtimes <= set(RUNTIMES)
        else:
            assert runtime in RUNTIMES


@pytest.mark.parametrize("content", STACKS)
def test_function_writes_to_a_log_group_of_this_stack(content: Template) -> None:
    """No function makes a log group of its own, which would have no retention and no key."""
    groups = content.of_type("AWS::Logs::LogGroup")
    for name, function in content.of_type("AWS::Lambda::Function").items():
        if name.startswith("CustomS3AutoDeleteObjects"):
            continue  # the library's own, in environments whose buckets are emptied on deletion
        group = function["Properties"]["LoggingConfig"]["LogGroup"]["Ref"]

        assert group in groups


@pytest.mark.parametrize("content", STACKS)
def test_log_group_has_retention_and_key(content: Template) -> None:
    """Every log ends some day and is encrypted with our key."""
    for group in content.of_type("AWS::Logs::LogGroup").values():
        assert group["Properties"]["RetentionInDays"] > 0
        assert flat(group["Properties"]["KmsKeyId"]).endswith("-artifact-KeyArn>")


@pytest.mark.parametrize("content", STACKS)
def test_custom_resource_has_a_timeout_below_an_hour(content: Template) -> None:
    """A handler that never answers fails a deployment in its own time, not in CloudFormation's."""
    for resource in content.resources.values():
        if resource["Type"] in CUSTOM_RESOURCES:
            assert 0 < int(resource["Properties"]["ServiceTimeout"]) < 3600
            assert resource["Properties"]["HandlerVersion"]


@pytest.mark.parametrize("stack", ["chat", "decision"])
def test_verification_has_the_time_and_the_processor_that_gigabytes_need(stack: str) -> None:
    """One whole CPU for as long as Lambda lets a call run, and a resource that waits longer than that."""
    content = template("prod", stack)
    _, function = content.named("VerifiedModelProviderOnEvent", "AWS::Lambda::Function")
    _, resource = content.only("Custom::VerifiedModel")

    assert function["Timeout"] == 900
    assert function["MemorySize"] >= 1769
    assert int(resource["ServiceTimeout"]) > function["Timeout"]


@pytest.mark.parametrize("handler", ["verify_model", "pin_image", "run_build", "check_endpoint"])
def test_handler_version_follows_the_code_that_runs(tmp_path: Path, handler: str) -> None:
    """A changed handler, or a changed module that it imports, is another version; its neighbours do not matter."""
    for path in HANDLERS.glob("*.py"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert handler_version(handler, tmp_path) == handler_version(handler)

    (tmp_path / "neighbour.py").write_text("x = 1\n")
    assert handler_version(handler, tmp_path) == handler_version(handler)

    (tmp_path / "lifecycle.py").write_text("x = 1\n")
    shared = handler_version(handler, tmp_path)
    (tmp_path / f"{handler}.py").write_text("x = 1\n")
    assert len({handler_version(handler), shared, handler_version(handler, tmp_path)}) == 3
