"""An object appears whole and once, or not at all; an upload that fails leaves no parts."""

from collections.abc import Iterator
from concurrent.futures import Future
from typing import Self

import pytest
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st

import uploads
from model_pin import PackagingError
from object_store import PART_BYTES, Destination
from publish import BeingWrittenError, publish
from tests.unit.builds.fake_store import FakeStore
from uploads import MOST_PARTS, part_bytes

KEY = "models/a/b/model.tar.gz"


def destination(store: FakeStore, size: int = 10) -> Destination:
    """The key in a store, with parts of a few bytes."""
    return Destination(store, "semif-artifacts", KEY, {"gguf-sha256": "a"}, size)


@given(chunks=st.lists(st.binary(max_size=25), max_size=12), size=st.integers(1, 30))
def test_the_object_is_the_chunks_joined(chunks: list[bytes], size: int) -> None:
    """However the content is cut into chunks and parts, the object is the content."""
    store = FakeStore()

    assert publish(chunks, destination(store, size))
    assert store.objects == {KEY: b"".join(chunks)}
    assert store.uploads == {}


@pytest.mark.parametrize(("content", "call"), [(b"x" * 10, "put_object"), (b"x" * 11, "complete_multipart_upload")])
def test_small_content_is_put_at_once_and_large_in_parts(content: bytes, call: str) -> None:
    """Both ways write under the condition that the key is free, and with the metadata."""
    store = FakeStore()

    publish([content], destination(store))

    assert store.calls[-1] == call
    assert store.metadata == {KEY: {"gguf-sha256": "a"}}


@pytest.mark.rule(
    "a published model is not overwritten: every write asks that its key is free",
    tool="the build's own script",
    emulated="that S3 enforces the condition",
)
@pytest.mark.parametrize("content", [b"x", b"x" * 99])
def test_a_taken_key_is_left_and_leaves_no_parts(content: bytes) -> None:
    """Being second is no error, and no write."""
    store = FakeStore(objects={KEY: b"first"})

    assert not publish([content], destination(store))
    assert store.objects == {KEY: b"first"}
    assert store.uploads == {}


@pytest.mark.parametrize("operation", ["put_object", "create_multipart_upload"])
def test_a_refused_beginning_is_raised(operation: str) -> None:
    """A denied write is not taken for a taken key."""
    with pytest.raises(ClientError, match="AccessDenied"):
        publish(
            [b"x" * (99 if "multipart" in operation else 1)], destination(FakeStore(broken={operation: "AccessDenied"}))
        )


@pytest.mark.parametrize("operation", ["put_object", "complete_multipart_upload"])
def test_two_builds_at_the_same_moment_are_told_so(operation: str) -> None:
    """S3 lets neither guess which of them wins."""
    store = FakeStore(broken={operation: "ConditionalRequestConflict"})

    with pytest.raises(BeingWrittenError, match="by another build at this moment"):
        publish([b"x" * (99 if "multipart" in operation else 1)], destination(store))

    assert (store.objects, store.uploads) == ({}, {})


@pytest.mark.parametrize("operation", ["upload_part", "complete_multipart_upload"])
def test_a_failing_upload_is_aborted(operation: str) -> None:
    """Parts would cost money and be seen by nobody."""
    store = FakeStore(broken={operation: "InternalError"})

    with pytest.raises(ClientError, match="InternalError"):
        publish([b"x" * 99], destination(store))

    assert (store.objects, store.uploads) == ({}, {})


@pytest.mark.rule(
    "an error of S3 in the last part leaves nothing under the key, and the next run publishes",
    tool="the build's own script",
    emulated="S3's error",
)
def test_an_error_in_the_last_part_leaves_nothing_and_the_next_run_succeeds() -> None:
    """All parts but the last are there; the object is not, nor are they."""
    store, content = FakeStore(broken_part=10), b"x" * 99

    with pytest.raises(ClientError, match="InternalError"):
        publish([content], destination(store))
    assert (store.objects, store.uploads) == ({}, {})

    store.broken_part = None
    assert publish([content], destination(store))
    assert store.objects == {KEY: content}


@pytest.mark.parametrize("after", [0, 5, 50])
@pytest.mark.parametrize("error", [PackagingError("wrong"), KeyboardInterrupt(), SystemExit("stopped")])
def test_content_that_fails_on_the_way_is_not_published(after: int, error: BaseException) -> None:
    """Whatever ends the stream, before or after the first part, nothing is left."""

    def content() -> Iterator[bytes]:
        yield b"x" * after
        raise error

    store = FakeStore()

    with pytest.raises(type(error)):
        publish(content(), destination(store))

    assert (store.objects, store.uploads) == ({}, {})


def test_only_a_few_parts_are_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing uploaded yet, no more than the parts in flight and the next one are taken from the stream."""
    taken: list[int] = []

    class Stuck:
        """A pool whose first upload never succeeds."""

        def __init__(self, _: int) -> None:
            self.first: Future[object] = Future()
            self.first.set_exception(PackagingError("stuck"))

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            """Nothing runs."""

        def submit(self, *_: object) -> Future[object]:
            return self.first

    def content() -> Iterator[bytes]:
        for number in range(100):
            taken.append(number)
            yield b"x" * 10

    monkeypatch.setattr(uploads, "ThreadPoolExecutor", Stuck)

    with pytest.raises(PackagingError, match="stuck"):
        publish(content(), destination(FakeStore()))

    assert len(taken) <= uploads.UPLOADS + 1


@given(st.integers(1, 5 << 40))
def test_no_size_needs_more_parts_than_s3_takes(total: int) -> None:
    """S3 takes 10,000 parts; gzip may add a little to incompressible content."""
    size = part_bytes(total)

    assert size >= PART_BYTES
    assert (total + total // 1000) / size <= MOST_PARTS
