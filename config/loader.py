"""From an environment's file to its settings, or to sentences naming file, key and rule."""

import difflib
import tomllib
from pathlib import Path

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from config.rules import ConfigurationError
from config.settings import Settings

ENVIRONMENTS_DIRECTORY = Path(__file__).parent / "environments"
_SENTENCES = {"extra_forbidden": "is not a known key", "missing": "is required and missing"}


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
    names = environment_names(directory)
    if name not in names:
        asked = f"there is no environment {name!r}" if name else "no environment is chosen"
        raise ConfigurationError(f"{asked}: say -c environment=NAME, where NAME is one of {', '.join(names)}.")
    path = directory / f"{name}.toml"
    try:
        settings = Settings.model_validate(tomllib.loads(path.read_text("utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{_shown(path)}: is not valid TOML: {error}.") from error
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
        raise ConfigurationError("\n".join(f"{_shown(path)}: {_sentence(problem)}." for problem in problems)) from error
    if settings.environment.name != name:
        found = settings.environment.name
        raise ConfigurationError(f"{_shown(path)}: environment.name: must be the file's name, {name}, not {found!r}.")
    return settings


def _shown(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _sentence(problem: ErrorDetails) -> str:
    context = problem.get("ctx", {})
    # A union's branch (the source's kind) is part of pydantic's path but no key of the file.
    keys = [str(part) for part in problem["loc"] if part not in ("huggingface", "s3")]
    if problem["type"] == "broken_rule" and context["key"]:
        keys.append(context["key"])
    rule = _SENTENCES.get(problem["type"], problem["msg"].removeprefix("Value error, "))
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
