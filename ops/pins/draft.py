"""An environment's file whose pins may be open: what stands there is no digest or commit yet, so it deploys nothing."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from config.loader import checked, read
from config.settings import Settings
from config.values import ImageDigest, Revision

# Nothing has these. They stand for an open pin while everything else of the file is checked, and are written nowhere.
_NO_DIGEST: Final = f"sha256:{'0' * 64}"
_NO_COMMIT: Final = "0" * 40
PIN_VALUES: Final[Mapping[str, tuple[str, ...]]] = {
    "images.chat": ("images", "chat", "digest"),
    "images.decision_base": ("images", "decision_base", "digest"),
    "model.source": ("model", "source", "revision"),
    "model.tokenizer": ("model", "tokenizer", "revision"),
}


@dataclass(frozen=True)
class Draft:
    """What a file says.

    Attributes:
        settings: Valid settings, which name nothing that exists where a pin is open.
        values: What stands in the place of each pin's value that the file has a table for; empty where nothing does.
        open: The pins that are open, each with the rule that what stands there breaks.
    """

    settings: Settings
    values: Mapping[str, str]
    open: Mapping[str, str]


def read_draft(path: Path) -> Draft:
    """Read a file of which nothing but pins may be open.

    Raises:
        ConfigurationError: It breaks another rule.
    """
    tables = read(path)
    filled, values, open_pins = copy.deepcopy(tables), {}, {}
    for pin, (*folder, key) in PIN_VALUES.items():
        table = _table(filled, folder)
        if table is None or (pin == "model.source" and table.get("kind") != "huggingface"):
            continue
        values[pin] = str(table.get(key, ""))
        if rule := _broken(key, table.get(key, "")):
            open_pins[pin] = rule
            table[key] = _NO_DIGEST if key == "digest" else _NO_COMMIT
    return Draft(checked(filled, path), values, open_pins)


def _table(tables: dict[str, Any], keys: list[str]) -> dict[str, Any] | None:
    for key in keys:
        tables = tables.get(key, {})
        if not isinstance(tables, dict):
            return None
    return tables or None


def _broken(key: str, value: object) -> str:
    """Return the rule that a value breaks, or nothing."""
    shape: TypeAdapter[str] = TypeAdapter(ImageDigest if key == "digest" else Revision)
    try:
        shape.validate_python(value, strict=True)
    except ValidationError as error:
        return str(error.errors(include_url=False, include_input=False)[0]["msg"]).removeprefix("Value error, ")
    return ""
