"""The examples of docs/decision-api.md are sent to a container, and answered as the document says."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.model.process import ROOT, SMOLLM2_PROMPT, Serving, environment, serving

pytestmark = pytest.mark.model

EXAMPLE = re.compile(r"<!-- (request|answer): (.+?) -->\n```json\n(.+?)```", re.DOTALL)
EXAMPLES = [
    (kind, note, json.loads(text)) for kind, note, text in EXAMPLE.findall((ROOT / "docs/decision-api.md").read_text())
]


@pytest.fixture(scope="module")
def container(models: dict[str, Path]) -> Iterator[Serving]:
    """A container with the tiny hybrid: the document's examples hold for every model."""
    with serving(environment(models["hybrid"], SMOLLM2_PROMPT)) as running:
        yield running


def shape(value: Any) -> Any:
    """A JSON value's keys and nesting, without its numbers and texts."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    return len(value) if isinstance(value, list) else None


def test_every_block_of_the_document_is_an_example() -> None:
    """No JSON in the document escapes these tests."""
    blocks = (ROOT / "docs/decision-api.md").read_text().count("```json")

    assert blocks == len(EXAMPLES) >= 7


@pytest.mark.parametrize(("note", "body"), [(note, body) for kind, note, body in EXAMPLES if kind == "request"])
def test_documented_request_is_answered_as_documented(container: Serving, note: str, body: Any) -> None:
    """A documented request has the documented status and code."""
    response = container.ask(body)

    status, _, code = note.partition(" ")
    assert response.status_code == int(status), response.text
    assert response.json().get("code", "") == code


def test_documented_answers_have_the_shape_of_real_ones(container: Serving) -> None:
    """The documented answers have exactly the fields real ones have."""
    requests = [(note, body) for kind, note, body in EXAMPLES if kind == "request"]
    answers = {note: body for kind, note, body in EXAMPLES if kind == "answer"}

    single = container.ask(requests[0][1]).json()
    refusal = container.ask(next(body for note, body in requests if note == "400 unknown_field")).json()

    assert shape(answers["single"]) == shape(single)
    assert answers["refusal"] == refusal


def test_documented_codes_are_the_codes_there_are() -> None:
    """Every code the container can answer with is in the document's table, and no other."""
    table = (ROOT / "docs/decision-api.md").read_text().partition("| status | `code` |")[2].partition("\n\n")[0]
    sources = "\n".join(path.read_text() for path in (ROOT / "container/semif").rglob("*.py"))
    raised = set(re.findall(r'(?:RequestError\(|_refuse\(\d+,)\s*"(\w+)"', sources))
    shaped = {"unknown_field", "missing_field", "wrong_type", "empty", "too_few", "too_many", "state_type"}
    routed = {"not_found", "method_not_allowed", "busy", "deadline_exceeded"}

    documented = set(re.findall(r"`([a-z0-9_]+)`", table)) - {"code", "application", "retry_after_seconds"}

    assert documented == raised | shaped | routed
