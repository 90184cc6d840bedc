"""The templates of a hand-over: the usual ones but for their archives, in an order that works, valid."""

import json
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.template.handed_over import handed_over, templates
from tests.template.synthesis import ENVIRONMENTS, STACKS, flat, template


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_stacks_stand_in_the_order_of_their_needs(environment: str) -> None:
    """A stack's imports are exports of stacks before it."""
    exported: set[str] = set()
    for text in templates(environment).values():
        content = json.loads(text)
        assert set(_imports(content)) <= exported
        exported |= {each["Export"]["Name"] for each in content["Outputs"].values() if "Export" in each}
    assert len(templates(environment)) == len(STACKS)


def _imports(value: Any) -> Iterator[str]:
    match value:
        case {"Fn::ImportValue": name}:
            yield name
        case dict() | list():
            for each in value.values() if isinstance(value, dict) else value:
                yield from _imports(each)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_templates_are_the_usual_ones_but_for_their_archives(environment: str) -> None:
    """Resources and outputs are those of `cdk deploy`, except where an archive lies."""
    for stack in STACKS:
        usual = dict(template(environment, stack).content)
        found = json.loads(templates(environment)[f"semif-{environment}-{stack}"])
        usual.pop("Rules")
        for content in (usual, found):
            content.pop("Parameters", None)

        assert _without_places(found) == _without_places(usual)


def _without_places(content: Any) -> str:
    text = json.dumps(_flattened(content), sort_keys=True)
    text = re.sub(r"cdk-hnb659fds-assets-(<AWS::\w+>|\w+)-(<AWS::\w+>|[a-z]+-[a-z]+-\d)", "<AssetsBucket>", text)
    return re.sub(r"(semif/)?[0-9a-f]{64}\.zip", "?.zip", text)


def _flattened(value: Any) -> Any:
    match value:
        case {"Fn::Join": _} | {"Fn::Sub": _}:
            return flat(value)
        case dict():
            return {name: _flattened(each) for name, each in value.items()}
        case list():
            return [_flattened(each) for each in value]
    return value


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_handed_over_templates_pass_the_linter(environment: str) -> None:
    """The parameter is used where it is, and the deployer's policies are a valid template."""
    paths = sorted(handed_over(environment).rglob("*.template.json"))
    # W3005: the CDK writes DependsOn for every order it knows, also where a reference implies it.
    command = ["cfn-lint", "--ignore-checks", "W3005", "--template", *map(str, paths)]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")
