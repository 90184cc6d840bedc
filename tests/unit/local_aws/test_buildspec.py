import re

import pytest

from local_aws.checkout import ROOT
from local_aws.emulator.buildspec import BuildspecError, parse

SMALL = """
version: 0.2
env: {variables: {A: 1}}
phases:
  build: {commands: [echo hello], finally: [echo bye], on-failure: ABORT}
  install: {runtime-versions: {python: 3.12}, commands: [true]}
"""


def test_phases_come_in_the_order_they_run() -> None:
    """Phases are ordered as CodeBuild runs them, whatever their order in the file, and values become text."""
    spec = parse(SMALL)

    assert [phase.name for phase in spec.phases] == ["install", "build"]
    assert spec.variables == {"A": "1"}
    assert (
        spec.phases[1].commands,
        spec.phases[1].finally_commands,
        spec.phases[1].on_failure,
    ) == (("echo hello",), ("echo bye",), "ABORT")


@pytest.mark.parametrize("name", ["model_package", "decision_image"])
def test_buildspecs_of_this_project_are_understood(name: str) -> None:
    """Both builds' specifications use only what the executor carries out."""
    spec = parse((ROOT / "builds" / name / "buildspec.yml").read_text("utf-8"))

    assert all(phase.commands for phase in spec.phases)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version: 0.1", "version 0.1 of"),
        ("version: 0.2\nartifacts: {files: [x]}", "artifacts"),
        ("version: 0.2\nphases: {deploy: {commands: [x]}}", "deploy"),
        ("version: 0.2\nphases: {build: {commands: [x], on-failure: RETRY}}", "RETRY"),
        ("version: 0.2\nenv: {secrets-manager: {A: b}}", "secrets-manager"),
        ("version: 0.2\nenv: {shell: sh}", "'sh' is not bash"),
        ("- a list", "not a mapping"),
        ("a: [", "not YAML"),
    ],
)
def test_specification_that_would_run_differently_is_refused(text: str, said: str) -> None:
    """What the executor does not carry out is refused by name instead of being left out."""
    with pytest.raises(BuildspecError, match=re.escape(said)):
        parse(text)
