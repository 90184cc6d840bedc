"""CloudFormation property values cast to the types that the service's own API model declares."""

from typing import Any

from botocore.model import ListShape, MapShape, Shape, StructureShape

_BOOLEANS = {"true": True, "false": False}


def cast(value: Any, shape: Shape) -> Any:  # noqa: ANN401 -- a template's value may be any JSON
    """Return the value with strings turned into the numbers and booleans that the shape wants.

    Names the shape does not know are kept, so that the client's own validation rejects them.
    """
    if isinstance(shape, StructureShape) and isinstance(value, dict):
        members = shape.members
        return {key: cast(item, members[key]) if key in members else item for key, item in value.items()}
    if isinstance(shape, ListShape) and isinstance(value, list):
        return [cast(item, shape.member) for item in value]
    if isinstance(shape, MapShape) and isinstance(value, dict):
        return {key: cast(item, shape.value) for key, item in value.items()}
    if isinstance(value, str):
        return _from_string(value, shape.type_name)
    if shape.type_name == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value


def _from_string(value: str, type_name: str) -> str | float | bool:
    try:
        if type_name in {"integer", "long"}:
            return int(value)
        if type_name in {"float", "double"}:
            return float(value)
    except ValueError:
        return value
    if type_name == "boolean":
        return _BOOLEANS.get(value.lower(), value)
    return value
