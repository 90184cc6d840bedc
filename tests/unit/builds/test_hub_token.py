"""The hub's token reaches the hub and nobody else."""

from pathlib import Path

import pytest

from download import Patience
from model_pin import HubFile, PackagingError
from package_model import package, sources
from project_environment import read_pin
from sources import HubSource
from tests.unit.builds.fake_secrets import FakeSecrets
from tests.unit.builds.fake_store import FakeStore
from tests.unit.builds.hub import Answer, hub
from tests.unit.builds.pins import environment
from tests.unit.builds.places import on_hub
from tests.unit.builds.tiny_gguf import tiny_gguf
from token_secret import hub_token

GGUF = tiny_gguf()
SECRET = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:hub-token-AbCdEf"
TOKEN = "hf_abcdefghijklmnop"


def fetch(url: str, folder: Path) -> FakeStore:
    """Package from a hub with the token."""
    pin, store = read_pin(environment(GGUF)), FakeStore()
    package(pin, on_hub(url, TOKEN), store, folder, Patience(sleep=lambda _: None))
    return store


@pytest.mark.rule(
    "the hub's token goes to the hub alone, not to where it redirects", tool="urllib over loopback HTTP", emulated=""
)
def test_the_token_does_not_follow_a_redirect_to_another_host(tmp_path: Path) -> None:
    """Large files come from a content network, which is told its own signed address and no token."""
    with hub([Answer(GGUF)]) as elsewhere, hub([Answer(b"", status=302, location=f"{elsewhere.url}/file")]) as first:
        assert fetch(first.url, tmp_path).objects

    assert first.tokens == [f"Bearer {TOKEN}"]
    assert elsewhere.tokens == [None]


def test_the_token_follows_a_redirect_on_the_same_host(tmp_path: Path) -> None:
    """A renamed repository is answered with its new address on the hub itself."""
    with hub([Answer(b"", status=307, location="/renamed"), Answer(GGUF)]) as running:
        assert fetch(running.url, tmp_path).objects

    assert running.tokens == [f"Bearer {TOKEN}"] * 2


def test_no_token_is_sent_where_none_is_set(tmp_path: Path) -> None:
    """A public file is fetched as anybody would."""
    pin = read_pin(environment(GGUF))
    with hub([Answer(GGUF)]) as running:
        package(pin, on_hub(running.url), FakeStore(), tmp_path, Patience())

    assert running.tokens == [None]


def test_a_refusal_and_the_source_itself_do_not_say_the_token(tmp_path: Path) -> None:
    """What ends in the log or the report names the address alone."""
    with hub([Answer(b"", status=403)]) as running, pytest.raises(PackagingError, match="status 403") as refused:
        fetch(running.url, tmp_path)

    assert TOKEN not in str(refused.value)
    assert TOKEN not in repr(HubSource(HubFile("a/b", "0" * 40, "x.gguf"), token=TOKEN))


def test_the_token_is_read_from_the_secret_that_the_pin_names() -> None:
    """Only then is a secret asked for."""
    secrets, pin = FakeSecrets({SECRET: f"{TOKEN}\n"}), read_pin(environment(GGUF))
    named = sources(read_pin(environment(GGUF, {"MODEL_TOKEN_SECRET": SECRET})), FakeStore(), secrets)(pin.source)
    none = sources(pin, FakeStore(), FakeSecrets())(pin.source)

    assert isinstance(named, HubSource)
    assert isinstance(none, HubSource)
    assert (named.token, none.token) == (TOKEN, None)


@pytest.mark.parametrize("text", ["", "short", "two words here", "line\nline-line", "{" + "x" * 1001])
def test_a_secret_that_is_no_token_is_refused_without_its_content(text: str) -> None:
    """A header is never made of what is no token."""
    with pytest.raises(PackagingError, match="holds no token") as refused:
        hub_token(SECRET, FakeSecrets({SECRET: text}))

    assert not text or text not in str(refused.value)


def test_a_secret_that_cannot_be_read_is_named() -> None:
    """The sentence says which secret, and what Secrets Manager said."""
    with pytest.raises(PackagingError, match=f"cannot be read from {SECRET}: .*ResourceNotFoundException"):
        hub_token(SECRET, FakeSecrets())
