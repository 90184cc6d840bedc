"""A pin names one file by content: only its bytes are published; a pin that is none is refused before a download."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from config.loader import load
from config.model import ModelPin
from download import Patience
from model_pin import PackagingError
from package_model import package
from project_environment import read_pin
from tests.unit.builds.fake_store import FakeStore
from tests.unit.builds.hub import Answer, hub
from tests.unit.builds.pins import environment
from tests.unit.builds.places import on_hub
from tests.unit.builds.tiny_gguf import tiny_gguf

GGUF = tiny_gguf()
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 3013027808\n"
WRONG = {
    "one byte flipped": Answer(GGUF[:-1] + bytes([GGUF[-1] ^ 1])),
    "Entry not found": Answer(b"Entry not found"),
    "Git LFS pointer": Answer(POINTER),
    "first half, then closed": Answer(GGUF, cut=len(GGUF) // 2),
    "HTML page": Answer(b"<!doctype html><title>Sign in</title>"),
}


def fetched(answer: Answer, store: FakeStore, folder: Path) -> str:
    """Package what the hub answers with."""
    pin = read_pin(environment(GGUF))
    with hub([answer]) as running:
        return package(pin, on_hub(running.url), store, folder, Patience(sleep=lambda _: None))


def test_the_right_bytes_are_published_under_a_key_that_holds_their_digest(tmp_path: Path) -> None:
    """The one answer out of six that is published."""
    store = FakeStore()

    fetched(Answer(GGUF), store, tmp_path)

    assert all(key.startswith(f"models/{hashlib.sha256(GGUF).hexdigest()}/") for key in store.objects)


@pytest.mark.parametrize("answer", WRONG.values(), ids=WRONG.keys())
def test_wrong_bytes_with_status_200_leave_nothing(answer: Answer, tmp_path: Path) -> None:
    """No object, no parts, and the next run with the right bytes publishes."""
    store = FakeStore()

    with pytest.raises(PackagingError):
        fetched(answer, store, tmp_path)
    assert (store.objects, store.uploads) == ({}, {})

    assert fetched(Answer(GGUF), store, tmp_path).endswith("is published.")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"source": {"kind": "huggingface", "repository": "a/b", "revision": "main"}}, "revision"),
        ({"sha256": None}, "sha256"),
        ({"sha256": "a" * 63}, "sha256"),
    ],
)
def test_a_pin_that_names_no_content_is_refused_by_the_settings(changes: dict[str, Any], field: str) -> None:
    """A branch moves and a missing digest proves nothing: neither gets as far as a download."""
    given = {name: value for name, value in (load("dev").model.model_dump() | changes).items() if value is not None}

    with pytest.raises(ValidationError, match=field):
        TypeAdapter(ModelPin).validate_python(given, strict=True)


def test_a_digest_in_upper_case_is_the_same_pin() -> None:
    """Hex has no case: settings and build make the same key of it."""
    pin = load("dev").model
    upper = TypeAdapter(ModelPin).validate_python(pin.model_dump() | {"sha256": pin.sha256.upper()}, strict=True)

    assert upper == pin
    sha256 = hashlib.sha256(GGUF).hexdigest()
    assert read_pin(environment(GGUF, {"MODEL_SHA256": sha256.upper()})) == read_pin(environment(GGUF))
