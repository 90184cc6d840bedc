"""The operator's guide names only what there is: targets, commands, settings, stacks and outputs."""

import re
from pathlib import Path

import pytest

from app import build
from ops.__main__ import app as command_line
from ops.deployment.failures import STACKS

ROOT = Path(__file__).resolve().parents[3]
GUIDE = (ROOT / "docs" / "operations.md").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
SECTION = GUIDE.partition("## What to do when\n")[2].partition("\n## ")[0]
COMMANDS = {command.name for command in command_line.registered_commands} | {
    group.name for group in command_line.registered_groups
}
TASKS = (
    "Deploy to a new account",
    "Change the instance type",
    "Roll a model",
    "Roll back",
    "Find out what runs",
    "Find out why a deployment failed",
    "Rename an endpoint",
    "Remove everything",
)


@pytest.mark.parametrize("task", TASKS)
def test_each_task_has_a_section_with_a_command(task: str) -> None:
    """Whoever operates the endpoints finds each task under its own heading."""
    body = SECTION.partition(f"### {task}\n")[2].partition("### ")[0]

    assert "make deploy" in body or "make running" in body or "make why" in body


def test_every_make_target_of_the_guide_exists() -> None:
    """A command of the guide is one of the Makefile's targets."""
    named = set(re.findall(r"`?make ([a-z][a-z-]*)(?= ENV=|`)", GUIDE))

    assert {"deploy", "diff", "destroy", "running", "why", "synth"} <= named
    assert [
        target for target in sorted(named) if not re.search(rf"^{target}:|^{target} ", MAKEFILE, re.MULTILINE)
    ] == []


def test_every_command_of_the_makefile_is_one_the_operators_module_has() -> None:
    """`python -m ops` knows each of the commands that the Makefile runs."""
    assert set(re.findall(r"python -m ops ([a-z-]+) \$\(ENV\)", MAKEFILE)) <= COMMANDS


def test_every_command_of_the_guide_is_one_the_operators_module_has() -> None:
    """A command of the guide can be typed, and each command that has no target of its own stands in the guide."""
    assert set(re.findall(r"python -m ops ([a-z]+)", GUIDE)) == COMMANDS - {"bootstrapped", "names", "running", "why"}


def test_stacks_that_the_guide_and_its_commands_know_are_the_apps() -> None:
    """Stack names in the guide and in `make why` are those that the app makes."""
    app = build("prod", validate_templates=False)
    made = {child.node.id.removeprefix("semif-prod-") for child in app.node.children if "semif-" in child.node.id}

    assert made == set(STACKS)
    assert set(re.findall(r"semif-prod-([a-z]+)", GUIDE)) <= made


def test_outputs_that_the_commands_read_are_the_templates() -> None:
    """The endpoint stacks have every output that `make running` and `make deploy` look for."""
    files = ("endpoints/running.py", "deployment/endpoint_names.py")
    source = "".join((ROOT / "ops" / name).read_text("utf-8") for name in files)
    read = set(re.findall(r'outputs(?:\.get\(|\[)"(\w+)"', source))
    made = set(re.findall(r'CfnOutput\(self, "(\w+)"', (ROOT / "stacks" / "endpoint_stack.py").read_text("utf-8")))

    assert read == {"EndpointName", "GgufSha256", "ImageUri", "Model", "ModelDataUrl"}
    assert read <= made
