"""What survives in a protected environment, and that taking the protection away takes two deployments."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.template.synthesis import ENVIRONMENTS, STACKS, assembly, read, settings_of, synthesize, template
from tests.unit.config.environment_files import changed

HOLDS_DATA = {"AWS::ECR::Repository", "AWS::KMS::Key", "AWS::S3::Bucket"}
PROTECTED = [name for name in ENVIRONMENTS if settings_of(name).protection.termination_protection]
ON, OFF = "termination_protection = true", "termination_protection = false"
KEPT, DROPPED = "retain_data = true", "retain_data = false"


def protections(folder: Path) -> set[bool]:
    """Return whether the assembly's stacks are protected against deletion."""
    artifacts = json.loads((folder / "manifest.json").read_text("utf-8"))["artifacts"].values()
    stacks = [each["properties"] for each in artifacts if each["type"] == "aws:cloudformation:stack"]
    return {bool(each.get("terminationProtection")) for each in stacks}


def test_an_environment_is_protected() -> None:
    """Among the repository's environments there is one that the tests below are about."""
    assert "prod" in PROTECTED


@pytest.mark.rule(
    "In a protected environment data outlives its stack, and no stack can be deleted", tool="CDK", emulated=""
)
@pytest.mark.parametrize("environment", PROTECTED)
def test_protected_environment_keeps_data_and_stacks(environment: str) -> None:
    """Every bucket, key and repository is retained when deleted or replaced, and every stack refuses deletion."""
    assert protections(assembly(environment)) == {True}
    kinds = set()
    for stack in STACKS:
        for resource in template(environment, stack).resources.values():
            if resource["Type"] in HOLDS_DATA:
                kinds.add(resource["Type"])
                assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert kinds == HOLDS_DATA


@pytest.mark.parametrize("environment", PROTECTED)
def test_first_step_makes_stacks_deletable_and_changes_no_resource(environment: str, tmp_path: Path) -> None:
    """With termination_protection off every template stays as it is: nothing is lost by the step alone."""
    folder = synthesize(environment, tmp_path / "out", changed(tmp_path, environment, (ON, OFF)))

    assert protections(folder) == {False}
    for stack in STACKS:
        assert read(folder, environment, stack).content == template(environment, stack).content


@pytest.mark.parametrize("environment", PROTECTED)
def test_second_step_alone_leaves_stacks_undeletable(environment: str, tmp_path: Path) -> None:
    """With retain_data off the data would go with its stack, which still refuses to go."""
    folder = synthesize(environment, tmp_path / "out", changed(tmp_path, environment, (KEPT, DROPPED)))

    assert protections(folder) == {True}
    assert {_policies(each) for each in _data(folder, environment)} == {("Delete", "Delete")}


def _data(folder: Path, environment: str) -> list[Any]:
    resources = [each for stack in STACKS for each in read(folder, environment, stack).resources.values()]
    return [each for each in resources if each["Type"] in HOLDS_DATA]


def _policies(resource: Any) -> tuple[str, str]:
    return resource["DeletionPolicy"], resource["UpdateReplacePolicy"]
