"""`ops pin update`: both values are shown, and the file changes when somebody says yes."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from config.loader import ENVIRONMENTS_DIRECTORY, load
from ops import __main__
from ops.__main__ import app
from ops.services import Services
from tests.unit.ops.fake_account import FakeAccount, manifest


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> FakeAccount:
    """Return the account that every command is connected to."""
    fake = FakeAccount()
    monkeypatch.setattr(Services, "of_region", lambda _region: fake.services())
    return fake


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Return a folder with a copy of the environment local."""
    shutil.copy(ENVIRONMENTS_DIRECTORY / "local.toml", tmp_path)
    return tmp_path


def _update(directory: Path, *arguments: str, said: str = "") -> Result:
    command = ["pin", "update", "local", *arguments, "--environments-directory", str(directory)]
    return CliRunner().invoke(app, command, input=said)


@pytest.mark.parametrize(("said", "changed"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_pin_update_shows_both_and_asks(account: FakeAccount, directory: Path, said: str, *, changed: bool) -> None:
    """The file changes only when somebody says yes."""
    text, digest = manifest("newer")
    account.images[digest] = {"text": text, "tags": ["v2"], "repository": "llama-cpp"}
    old, before = load("local", directory).images.chat.digest, (directory / "local.toml").read_bytes()

    result = _update(directory, "images.chat", "--tag", "v2", said=said)

    assert f"old {old}\n  new {digest}" in result.stderr
    assert load("local", directory).images.chat.digest == (digest if changed else old)
    assert load("local", directory).images.decision_base.digest == old
    assert ((directory / "local.toml").read_bytes() == before) != changed
    assert result.exit_code == (0 if changed else 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ["images.chat", "--revision", "main", "--yes"],
        ["model.source", "--tag", "v1", "--yes"],
        ["images.chat", "--yes"],
        ["images.chat", "--tag", "v1", "--revision", "main", "--yes"],
        ["model.sha256", "--tag", "v1", "--yes"],
        ["images.chat", "--tag", "not-there", "--yes"],
    ],
)
def test_pin_update_that_cannot_be_meant_changes_nothing(
    account: FakeAccount, directory: Path, arguments: list[str]
) -> None:
    """A tag is an image's, a revision the hub's; anything else leaves the file byte for byte."""
    assert account
    before = (directory / "local.toml").read_bytes()

    result = _update(directory, *arguments)

    assert isinstance(result.exception, __main__.REFUSALS)
    assert (directory / "local.toml").read_bytes() == before


def test_pin_update_with_json_is_for_programs(account: FakeAccount, directory: Path) -> None:
    """Standard output holds the document alone."""
    text, digest = manifest("newer")
    account.images[digest] = {"text": text, "tags": ["v2"], "repository": "llama-cpp"}

    told: Any = json.loads(_update(directory, "images.chat", "--tag", "v2", "--yes", "--json").stdout)

    assert (told["new"], told["changed"]) == (digest, True)
