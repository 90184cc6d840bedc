"""From an environment's file to its settings, or to sentences naming file, key and rule."""

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from config.rules import ConfigurationError
from config.settings import Settings

ENVIRONMENTS_DIRECTORY = Path(__file__).parent / "environments"
_SENTENCES = {
    "extra_forbidden": "is not a known key",
    "missing": "is required and missing",
    "model_type": "must be a table",
}
# Tables that are of one of several kinds, each with keys of its own.
_UNIONS = (["model", "source"], ["chat", "guardrails"], ["decision", "guardrails"])


def environment_names(directory: Path = ENVIRONMENTS_DIRECTORY) -> tuple[str, ...]:
    """List the environments that have a file in the directory, sorted."""
    return tuple(sorted(path.stem for path in directory.glob("*.toml")))


def load(name: str | None, directory: Path = ENVIRONMENTS_DIRECTORY) -> Settings:
    """Read and check the settings of one environment.

    Args:
        name: The environment's name, that of its file without suffix.
        directory: Where the environment files lie.

    Raises:
        ConfigurationError: No such environment, or a file that breaks a rule.
    """
    path = file_of(name, directory)
    return checked(read(path), path)


def file_of(name: str | None, directory: Path = ENVIRONMENTS_DIRECTORY) -> Path:
    """Return the file of an environment.

    Raises:
        ConfigurationError: No such environment.
    """
    names = environment_names(directory)
    if not names:
        raise ConfigurationError(f"environments_directory: {_shown(directory)} holds no environment file (NAME.toml).")
    if name not in names:
        asked = f"there is no environment {name!r}" if name else "no environment is chosen"
        raise ConfigurationError(f"{asked}: say -c environment=NAME, where NAME is one of {', '.join(names)}.")
    return directory / f"{name}.toml"


def read(path: Path) -> dict[str, Any]:
    """Return the tables of a file, unchecked.

    Raises:
        ConfigurationError: It cannot be read, or is no TOML.
    """
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{_shown(path)}: cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:  # beside TOMLDecodeError: wrong UTF-8, endless digits, deep nesting
        raise ConfigurationError(f"{_shown(path)}: is not valid TOML: {error}.") from error


def checked(tables: Mapping[str, Any], path: Path) -> Settings:
    """Return the settings that a file's tables are.

    Args:
        tables: What the file holds.
        path: The file, named in refusals.

    Raises:
        ConfigurationError: They break a rule.
    """
    try:
        settings = Settings.model_validate(tables)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
        raise ConfigurationError("\n".join(f"{_shown(path)}: {_sentence(problem)}." for problem in problems)) from error
    if settings.environment.name != path.stem:
        found = settings.environment.name
        rule = f"must be the file's name, {path.stem}, not {found!r}"
        raise ConfigurationError(f"{_shown(path)}: environment.name: {rule}.")
    return settings


def _shown(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _sentence(problem: ErrorDetails) -> str:
    context = problem.get("ctx", {})
    keys = [text if (text := str(part)).isprintable() else repr(text) for part in problem["loc"]]
    if keys[:2] in _UNIONS:
        del keys[2:3]  # the union's branch, part of pydantic's path but no key of the file
    if problem["type"] == "broken_rule" and context["key"]:
        keys.append(context["key"])
    rule = _SENTENCES.get(problem["type"], problem["msg"].removeprefix("Value error, "))
    if problem["type"] == "union_tag_not_found":
        rule = f"{context['discriminator'].strip(chr(39))} is required and missing"
    if problem["type"] == "extra_forbidden":
        rule += _suggestion(keys)
    return f"{'.'.join(keys)}: {rule[0].lower()}{rule[1:]}"


def _suggestion(keys: list[str]) -> str:
    """Name the known key that a misspelt one resembles."""
    close = difflib.get_close_matches(keys[-1], _known_keys(Settings), n=1)
    return f"; did you mean {close[0]}" if close else ""


def _known_keys(table: type[BaseModel]) -> set[str]:
    schema = table.model_json_schema()
    tables = [schema, *schema.get("$defs", {}).values()]
    return {key for entry in tables for key in entry.get("properties", {})}
