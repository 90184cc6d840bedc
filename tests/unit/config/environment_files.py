"""Environment files for tests: the real ones, with lines changed or what they leave open filled in."""

from pathlib import Path

import pytest

from config.loader import ENVIRONMENTS_DIRECTORY, load
from config.rules import ConfigurationError

# What graviton.toml says instead of a digest that nobody here could look up, and one that no image has.
OPEN_DIGEST = "of llama-cpp-arm64:server-sagemaker-cpu-v1, see docs/operations.md"
TEST_DIGEST = "sha256:" + "a6" * 32


def completed(folder: Path) -> Path:
    """Write every environment's file, the open digests of graviton filled in, and return the folder."""
    for path in ENVIRONMENTS_DIRECTORY.glob("*.toml"):
        (folder / path.name).write_text(path.read_text("utf-8").replace(OPEN_DIGEST, TEST_DIGEST), "utf-8")
    return folder


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
