"""Rows of task files, made for these tests."""

import json
from pathlib import Path
from typing import Any

DEFINITION = """
name = "support-route"
version = "2"
type = "choice"
question = "Which queue should handle this request?"
abstain_option = "none"
options = [
  { id = "account", description = "Account access." },
  { id = "billing", description = "Payments." },
  { id = "none", description = "None of these." },
]
"""


def native(**changes: Any) -> dict[str, Any]:
    """A row that words itself, with changes; a value of `...` takes the key away."""
    options = [{"id": "yes", "description": "It does."}, {"id": "no", "description": "It does not."}]
    row = {"id": "t1", "state": "A short state.", "question": "Does it hold?", "options": options, "gold": "yes"}
    return _changed(row, changes)


def defined(**changes: Any) -> dict[str, Any]:
    """A row that names `DEFINITION`."""
    row = {"id": "t1", "state": {"subject": "Reset"}, "definition": "support-route", "gold": "account"}
    return _changed(row, changes)


def jevbench(**changes: Any) -> dict[str, Any]:
    """A row of JevBench's format."""
    row = {
        "id": "j1",
        "family": "ordinal",
        "group": "g1",
        "split": "public",
        "state": "The icon is misaligned.",
        "question": {"type": "score", "instructions": "Rate it.", "criteria": ["Cosmetic", "One user", "Many users"]},
        "labels": ["0", "1", "2"],
        "expected": 0,
        "provenance": {"license": "MIT"},
    }
    return _changed(row, changes)


def strands(**changes: Any) -> dict[str, Any]:
    """A row of strands-decider's format."""
    row = {
        "kind": "noul",
        "state": "Request: two plus two. Response: four.",
        "instructions": "Is it right?",
        "options": [["false", "It is wrong."], ["true", "It is right."]],
        "label": 1,
        "task": "gen:adequacy",
        "weight": 1.0,
        "instruction_variants": [],
    }
    return _changed(row, changes)


def typed(**changes: Any) -> dict[str, Any]:
    """A row of typed-gguf's format."""
    row = {
        "id": "n01",
        "type": "noul",
        "state": "The shop is down.",
        "instructions": "Page somebody?",
        "criteria": {"true": "yes, now", "false": "no, tomorrow"},
        "gold": True,
        "note": "",
        "provenance": "made for this test",
    }
    return _changed(row, changes)


def write(file: Path, *rows: dict[str, Any] | str) -> Path:
    """Write rows, texts as they are, with the definition beside them."""
    folder = file.parent / "definitions"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "support-route.toml").write_text(DEFINITION)
    file.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return file


def _changed(row: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in (row | changes).items() if value is not ...}
