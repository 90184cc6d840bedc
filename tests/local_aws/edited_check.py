import json
import re
from collections.abc import Callable
from typing import Any

Resources = dict[str, dict[str, Any]]


def editing(*edits: Callable[[Resources], None], anew: bool) -> Callable[[str], str]:
    """Return what edits a template's text by its resources.

    Args:
        edits: Each changes some of them.
        anew: Whether the check gets another logical id, as every change of what it compares gives it in a synthesis.
    """

    def edit(template: str) -> str:
        content = json.loads(template)
        for change in edits:
            change(content["Resources"])
        text = json.dumps(content, indent=1)
        ((name, _),) = _checks(content["Resources"])
        return text.replace(name, "CheckedEndpoint" + name[:14:-1]) if anew else text

    return edit


def allowing_bodies_of(size: int) -> Callable[[Resources], None]:
    """Change one variable of the container, in the model and in what the check compares, as a synthesis would."""

    def change(resources: Resources) -> None:
        for resource in resources.values():
            if resource["Type"] == "AWS::SageMaker::Model":
                resource["Properties"]["PrimaryContainer"]["Environment"]["SEMIF_MAX_BODY_BYTES"] = str(size)
        _replace(resources, "Model", r'"SEMIF_MAX_BODY_BYTES":"\d+"', f'"SEMIF_MAX_BODY_BYTES":"{size}"')

    return change


def wanting(pattern: str, other: str) -> Callable[[Resources], None]:
    """Let the check want another answer than the container gives."""

    def change(resources: Resources) -> None:
        _replace(resources, "Answer", pattern, other)

    return change


def _checks(resources: Resources) -> list[tuple[str, dict[str, Any]]]:
    return [(name, each) for name, each in resources.items() if each["Type"] == "Custom::CheckedEndpoint"]


def _replace(resources: Resources, name: str, pattern: str, other: str) -> None:
    ((_, check),) = _checks(resources)
    value = check["Properties"][name]
    parts = value["Fn::Join"][1] if isinstance(value, dict) else [value]
    replaced = [re.sub(pattern, other, part) if isinstance(part, str) else part for part in parts]
    assert replaced != parts, f"{name} of the check does not hold {pattern}"
    check["Properties"][name] = {"Fn::Join": ["", replaced]}
