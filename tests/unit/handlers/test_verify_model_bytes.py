"""An archive's bytes: none is missing, changed or left over, and however many there are, few are held."""

import gzip
import tracemalloc
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.handlers.archive_refusal import GGUF_MEMBER, MANIFEST_MEMBER, RIGHT, refusal
from tests.unit.handlers.archives import (
    FakeStore,
    member,
)


@given(cut=st.integers(0, len(RIGHT) - 1))
def test_an_archive_cut_anywhere_is_refused(cut: int) -> None:
    """No prefix of a right archive is a right archive."""
    assert refusal(RIGHT[:cut])


@given(position=st.integers(0, len(RIGHT) - 1), flip=st.integers(1, 255))
def test_a_changed_byte_never_changes_the_content(position: int, flip: int) -> None:
    """A flipped byte is refused unless it lies in gzip's own name-and-time fields, which hold no content."""
    changed = bytearray(RIGHT)
    changed[position] ^= flip
    if refusal(bytes(changed)):
        return

    assert gzip.decompress(bytes(changed)) == gzip.decompress(RIGHT)


def test_a_body_that_ends_early_is_refused() -> None:
    """What was read must be as long as S3 said."""
    assert "ended after" in refusal(RIGHT, store=FakeStore(RIGHT, length=len(RIGHT) + 1))


@pytest.mark.parametrize("behind", [b"x", bytes(512), gzip.compress(b"")])
def test_data_behind_the_gzip_member_is_refused_however_it_is_cut(behind: bytes) -> None:
    """The end of the gzip member may be the end of a read; what the next read brings is refused all the same."""

    class Cut(FakeStore):
        def get_object(self, **_: str) -> dict[str, object]:
            pieces = iter((RIGHT, behind, b""))
            body = SimpleNamespace(read=lambda _: next(pieces))
            return {"Body": body, "ContentLength": len(RIGHT) + len(behind)}

    assert "behind its one gzip member" in refusal(b"", store=Cut())


def test_an_object_far_too_large_is_refused_unread() -> None:
    """An archive beyond any size the pin can have is refused by its length alone."""
    assert "at most" in refusal(b"", store=FakeStore(b"", length=1 << 40))


def test_a_bomb_stops_early_in_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GGUF that inflates beyond the cap is refused at its header, another bomb after the tar's end at 10 kB."""
    monkeypatch.setattr("model_archive.EXCESS_BYTES", 1 << 20)
    bomb = gzip.compress(member("tiny.gguf", bytes(40 << 20)), 9)
    behind = gzip.compress(GGUF_MEMBER + MANIFEST_MEMBER + bytes(40 << 20), 9)
    tracemalloc.start()

    sentences = refusal(bomb), refusal(behind)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert "allowed are" in sentences[0]
    assert "behind the end" in sentences[1]
    assert peak < 4 << 20
