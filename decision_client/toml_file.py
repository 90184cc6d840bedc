"""A reviewed TOML file as a checked value."""

import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from decision_client.errors import FileError

Model = TypeVar("Model", bound=BaseModel)


def read_toml(file: Path, model: type[Model]) -> Model:
    """Read a file.

    Raises:
        FileError: It is not there, is no TOML, or breaks a rule; file, key and rule are named, no value is.
    """
    try:
        return model.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except ValidationError as error:
        rules = "; ".join(_broken(each["loc"], each["msg"]) for each in error.errors())
        raise FileError(f"{file}: {rules}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FileError(f"{file}: cannot be read: {error}") from None


def _broken(key: tuple[int | str, ...], rule: str) -> str:
    """Name the key and the rule; a rule of ours that is of several keys names them itself."""
    return ": ".join(filter(None, (".".join(map(str, key)), rule.removeprefix("Value error, "))))
