"""A packaging whose hub breaks off, points elsewhere or never ends."""

import io
import urllib.request
from http.client import HTTPMessage
from pathlib import Path

import pytest

from download import Patience
from model_pin import PackagingError
from package_model import package
from project_environment import read_pin
from sources import _SameSecurity
from tests.unit.builds.fake_store import FakeStore
from tests.unit.builds.hub import Answer
from tests.unit.builds.packaging import GGUF, HALF, packaged, refusal
from tests.unit.builds.pins import environment
from tests.unit.builds.places import in_store


def test_a_broken_connection_is_resumed(tmp_path: Path) -> None:
    """The rest is asked for and the digest is that of the whole."""
    outcome = packaged(
        [Answer(GGUF, ranges=True, cut=HALF), Answer(b"", status=503), Answer(GGUF, ranges=True)], tmp_path
    )

    assert [asked for _, asked in outcome.hub.asked] == [None, f"bytes={HALF}-", f"bytes={HALF}-"]
    assert outcome.store.objects


def test_a_hub_that_cannot_resume_is_read_from_the_start_again(tmp_path: Path) -> None:
    """Bytes from before are dropped, also from the digest."""
    assert packaged([Answer(GGUF, cut=HALF), Answer(GGUF)], tmp_path).store.objects


def test_a_redirect_is_followed(tmp_path: Path) -> None:
    """The hub sends its large files from another place."""
    outcome = packaged([Answer(b"", status=302, location="/elsewhere"), Answer(GGUF)], tmp_path)

    assert [path for path, _ in outcome.hub.asked][1:] == ["/elsewhere"]
    assert outcome.store.objects


def test_an_answer_that_begins_elsewhere_is_not_taken_for_the_rest(tmp_path: Path) -> None:
    """A range that was not asked for is asked for again, and never joined to what is there."""
    wrong = Answer(GGUF, begin=HALF + 1)

    assert packaged([Answer(GGUF, cut=HALF), wrong, Answer(GGUF, ranges=True)], tmp_path).store.objects
    assert f"asked for byte 0, got byte {HALF + 1}" in refusal([wrong], tmp_path)


@pytest.mark.parametrize("location", ["http://elsewhere/x", "ftp://elsewhere/x"])
def test_a_redirect_never_leaves_https(location: str) -> None:
    """Whoever can rewrite an answer on its way must not be able to choose a way that can be rewritten."""
    asked = urllib.request.Request("https://huggingface.co/x")

    with pytest.raises(PackagingError, match="which is not https"):
        _SameSecurity().redirect_request(asked, io.BytesIO(), 302, "Found", HTTPMessage(), location)


def test_a_download_ends_at_its_deadline(tmp_path: Path) -> None:
    """A source that keeps sending is not read for ever."""
    pin, store, now = read_pin(environment(GGUF)), FakeStore(objects={"k": GGUF}), iter(range(0, 10_000, 3000))
    patience = Patience(sleep=lambda _: None, clock=lambda: next(now))

    with pytest.raises(PackagingError, match="within 1800 seconds"):
        package(pin, in_store(store), store, tmp_path, patience)

    assert set(store.objects) == {"k"}
