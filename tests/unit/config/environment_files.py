"""Environment files for tests: the real ones, with lines changed."""

from pathlib import Path

import pytest

from config.loader import ENVIRONMENTS_DIRECTORY, load
from config.rules import ConfigurationError


def changed(folder: Path, environment: str, *changes: tuple[str, str]) -> Path:
    """Write the environment's file with each old text replaced by its new one, and return the folder."""
    text = (ENVIRONMENTS_DIRECTORY / f"{environment}.toml").read_text("utf-8")
    for old, new in changes:
        assert old in text, f"{environment}.toml does not hold {old!r}"
        text = text.replace(old, new)
    (folder / f"{environment}.toml").write_text(text, "utf-8")
    return folder


def refusal(folder: Path, environment: str, *changes: tuple[str, str]) -> str:
    """Return the sentence with which the changed file is refused."""
    with pytest.raises(ConfigurationError) as caught:
        load(environment, changed(folder, environment, *changes))
    return str(caught.value)
