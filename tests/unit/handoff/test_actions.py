import json
import tomllib
from pathlib import Path

import cfnlint
import pytest

import handoff.deployer

TABLE = tomllib.loads((Path(handoff.deployer.__file__).with_name("actions.toml")).read_text("utf-8"))
# CloudFormation's own schemas, as cfn-lint brings them, one file each.
SCHEMAS = Path(cfnlint.__file__).parent / "data" / "schemas" / "resources"


def handlers(kind: str) -> dict[str, set[str]]:
    """Return the actions that CloudFormation says each operation on a type calls."""
    for path in SCHEMAS.glob("*.json"):
        if kind in (text := path.read_text("utf-8")) and (schema := json.loads(text))["typeName"] == kind:
            return {name: set(each["permissions"]) for name, each in schema.get("handlers", {}).items()}
    raise LookupError(kind)


@pytest.mark.parametrize("kind", sorted(TABLE))
def test_actions_are_those_of_cloudformation_s_own_schema(kind: str) -> None:
    """What the table allows, the type's handlers call; an entry beyond that says so."""
    known = {action for actions in handlers(kind).values() for action in actions}

    for entry in TABLE[kind]:
        unknown = {action for action in entry["actions"] if action not in known}
        assert bool(unknown) == entry.get("beyond_schema", False), unknown


@pytest.mark.parametrize("kind", sorted(TABLE))
def test_creating_and_deleting_is_allowed(kind: str) -> None:
    """Of what creating and deleting calls, the action named like the type's own verb is in the table."""
    allowed = {action for entry in TABLE[kind] for action in entry["actions"]}

    for operation, verbs in (
        ("create", ("Create", "Put", "Register", "Set")),
        ("delete", ("Delete", "Deregister", "Set", "Schedule")),
    ):
        called = handlers(kind).get(operation)
        if called is not None:
            named = {action for action in called if action.split(":")[1].startswith(verbs)}
            assert named & allowed, operation
