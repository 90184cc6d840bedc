"""A published archive's digests, or why it is none."""

import gzip
import hashlib
import io

import pytest

from ops.endpoints.archive import ArchiveError, digests
from tests.unit.ops.fake_account import SETTINGS
from tests.unit.ops.packed import packed_archive


def test_archive_and_model_are_hashed_in_one_pass() -> None:
    """Both digests are those of the whole archive and of the whole file."""
    packed = packed_archive(b"a model" * 100_000)

    both = digests(io.BytesIO(packed), [SETTINGS.model.file])

    assert both.archive == hashlib.sha256(packed).hexdigest()
    assert both.files[SETTINGS.model.file] == hashlib.sha256(b"a model" * 100_000).hexdigest()


@pytest.mark.parametrize("content", [b"", b"no gzip", gzip.compress(b"no tar"), packed_archive(b"model")[:60]])
def test_what_is_no_archive_is_refused(content: bytes) -> None:
    """Empty, other or cut-off content has no digest."""
    with pytest.raises(ArchiveError):
        digests(io.BytesIO(content), [SETTINGS.model.file])
