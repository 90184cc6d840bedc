"""The hub is asked with the token of the secret that the settings name, and nobody else sees it."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from config.loader import ENVIRONMENTS_DIRECTORY, load
from ops.__main__ import app
from ops.pins.hub import Hub, HubError
from ops.pins.hub_token import TokenError, hub_token
from ops.services import Services
from tests.unit.ops.fake_account import FakeAccount
from tests.unit.ops.fake_hub import Moved, fake_hub

SECRET = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:hub-token-AbCdEf"
TOKEN = "hf_abcdefghijklmnop"
MODEL = load("dev").model
AT_PIN = f"/api/models/bartowski/Qwen_Qwen3.5-4B-GGUF/revision/{'4168f45a16a1290d65a4ec0fa312ae917a4c15d6'}"
TOKENIZER = "/api/models/Qwen/Qwen3.5-4B/revision/851bf6e806efd8d0a36b00ddf55e13ccb7b8cd0a"
ANSWERS = {
    AT_PIN: {
        "sha": "4168f45a16a1290d65a4ec0fa312ae917a4c15d6",
        "siblings": [{"rfilename": MODEL.file, "lfs": {"size": MODEL.bytes, "sha256": MODEL.sha256}}],
    },
    TOKENIZER: {"sha": "8" * 40},
}


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> FakeAccount:
    """Return the account that every command is connected to; it holds the secret."""
    fake = FakeAccount()
    fake.secret_texts[SECRET] = f"{TOKEN}\n"
    monkeypatch.setattr(Services, "of_region", lambda _region: fake.services())
    return fake


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Return a folder with the environment dev, whose model is gated."""
    text = (ENVIRONMENTS_DIRECTORY / "dev.toml").read_text("utf-8")
    head = '[model.source]\nkind = "huggingface"\n'
    assert head in text
    (tmp_path / "dev.toml").write_text(text.replace(head, f'{head}token_secret_arn = "{SECRET}"\n'), "utf-8")
    return tmp_path


def _pin(directory: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["pin", *arguments, "--environments-directory", str(directory)])


@pytest.mark.parametrize("command", ["show", "check"])
def test_gated_repository_is_asked_with_the_token(account: FakeAccount, directory: Path, command: str) -> None:
    """The pins resolve, the secret is read once, and the token is in nothing that is printed."""
    asked: list[str | None] = []

    with fake_hub(ANSWERS, token=TOKEN, asked=asked) as url:
        result = _pin(directory, command, "dev", "--hub", url, "--json")

    lines = {line["subject"]: line for line in json.loads(result.stdout)}
    assert lines["model.source"]["says"].endswith("size and SHA-256 are the pinned ones")
    assert lines["model.tokenizer"]["state"] == "ok"
    assert asked == [f"Bearer {TOKEN}"] * 2
    assert account.calls.count("get_secret_value") == 1
    assert TOKEN not in result.output + result.stderr


def test_revision_of_a_gated_repository_is_looked_up_with_the_token(account: FakeAccount, directory: Path) -> None:
    """An update asks in the same way."""
    assert account
    path = f"{AT_PIN.rpartition('/')[0]}/main"

    with fake_hub({**ANSWERS, path: ANSWERS[AT_PIN]}, token=TOKEN) as url:
        result = _pin(directory, "update", "dev", "model.source", "--revision", "main", "--hub", url, "--json")

    assert json.loads(result.stdout)["changed"] is False
    assert TOKEN not in result.output + result.stderr


def test_public_repository_is_asked_without_a_token_and_no_secret_is_read(account: FakeAccount, tmp_path: Path) -> None:
    """Where the file names no secret, nothing says who asks."""
    (tmp_path / "dev.toml").write_bytes((ENVIRONMENTS_DIRECTORY / "dev.toml").read_bytes())
    asked: list[str | None] = []

    with fake_hub(ANSWERS, asked=asked) as url:
        _pin(tmp_path, "check", "dev", "--hub", url)

    assert asked == [None, None]
    assert "get_secret_value" not in account.calls


@pytest.mark.parametrize(
    ("held", "says", "action"),
    [
        (None, "ResourceNotFoundException", ""),
        ("two words of a secret", f"{SECRET} holds no token", "Fetch a gated or private model"),
        ("hf_anothertoken", "the hub answers 401; if it is there, the token of model.source", "look at repository"),
    ],
)
def test_secret_that_does_not_open_the_repository_is_said(
    account: FakeAccount, directory: Path, held: str | None, says: str, action: str
) -> None:
    """A missing secret, one without a token, and a token that may not see it are each a wrong pin; none is printed."""
    account.secret_texts = {} if held is None else {SECRET: held}

    with fake_hub(ANSWERS, token=TOKEN) as url:
        result = _pin(directory, "check", "dev", "--hub", url, "--json")

    (line,) = (line for line in json.loads(result.stdout) if line["subject"] == "model.source")
    assert result.exit_code == 2
    assert says in line["says"]
    assert action in line["action"]
    assert held is None or held not in result.output + result.stderr


def test_gated_repository_without_a_token_says_what_is_missing() -> None:
    """The hub's refusal names the setting that opens it."""
    with (
        fake_hub(ANSWERS, token=TOKEN) as url,
        pytest.raises(HubError, match=r"answers 401; if it is gated or private, it needs model\.source\.token_secret"),
    ):
        Hub(url).commit("Qwen/Qwen3.5-4B", "main")


def test_token_follows_a_renamed_repository_and_not_to_another_host() -> None:
    """The hub itself is told who asks at the new address, too; everybody else is not."""
    there: list[str | None] = []
    elsewhere: list[str | None] = []
    new, far = "/api/models/new/name/revision/main", "/api/models/far/name/revision/main"
    with fake_hub({far: {"sha": "a" * 40}}, asked=elsewhere) as other:
        moved = {
            "/api/models/old/name/revision/main": Moved(new),
            "/api/models/away/name/revision/main": Moved(f"{other}{far}"),
            new: {"sha": "b" * 40},
        }
        with fake_hub(moved, token=TOKEN, asked=there) as url:
            hub = Hub(url, lambda: TOKEN)
            assert hub.commit("old/name", "main") == "b" * 40
            assert hub.commit("away/name", "main") == "a" * 40

    assert there == [f"Bearer {TOKEN}"] * 3
    assert elsewhere == [None]


def test_hub_with_a_token_does_not_show_it() -> None:
    """What prints a hub, as a trace does, prints its address alone."""
    assert TOKEN not in repr(Hub("https://hub.invalid", lambda: TOKEN))


def test_secret_without_a_token_is_named_by_its_address_alone() -> None:
    """What it holds is not said."""
    account = FakeAccount()
    account.secret_texts[SECRET] = "short"

    with pytest.raises(TokenError, match=f"^{re.escape(SECRET)} holds no token: it must be 8 to 1000 printable"):
        hub_token(account, SECRET)
