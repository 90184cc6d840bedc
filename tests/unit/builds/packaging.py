"""A packaging of what a hub sends, and what it left."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from download import Patience
from model_pin import PackagingError
from package_model import package
from project_environment import read_pin
from tests.unit.builds.fake_store import FakeStore
from tests.unit.builds.hub import Answer, Hub, hub
from tests.unit.builds.pins import environment
from tests.unit.builds.places import on_hub
from tests.unit.builds.tiny_gguf import tiny_gguf

GGUF = tiny_gguf()
HALF = len(GGUF) // 2


class Outcome(NamedTuple):
    """What a packaging left."""

    sentence: str
    store: FakeStore
    hub: Hub


def packaged(answers: Sequence[Answer], folder: Path, content: bytes = GGUF) -> Outcome:
    """Package what the hub sends against the pin of some content."""
    pin, store = read_pin(environment(content)), FakeStore()
    with hub(answers) as running:
        sentence = package(pin, on_hub(running.url), store, folder, Patience(sleep=lambda _: None))
    return Outcome(sentence, store, running)


def refusal(answers: Sequence[Answer], folder: Path, content: bytes = GGUF) -> str:
    """Return why a packaging was refused, having left nothing."""
    pin, store = read_pin(environment(content)), FakeStore()
    with hub(answers) as running, pytest.raises(PackagingError) as refused:
        package(pin, on_hub(running.url), store, folder, Patience(sleep=lambda _: None))
    assert (store.objects, store.uploads) == ({}, {})
    return str(refused.value)
