"""Where a pin's files are, for the tests: each opens whatever place the pin names."""

from collections.abc import Callable

from download import Source
from model_pin import HubFile, StoredObject
from package_model import Place
from sources import HubSource, ObjectSource
from tests.unit.builds.fake_store import FakeStore


def on_hub(url: str, token: str | None = None) -> Callable[[Place], Source]:
    """The same file on the hub at an address."""

    def source_at(place: Place) -> Source:
        assert isinstance(place, HubFile)
        return HubSource(place, url, token)

    return source_at


def in_store(store: FakeStore, key: str = "k") -> Callable[[Place], Source]:
    """One object of a store, whatever the place."""
    return lambda _: ObjectSource(StoredObject("b", key), store)
