import gzip
import io
import tarfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_aws.emulator.model_archive import ArchiveRefusedError, unpack


class Session:
    """A session whose S3 holds one object."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.asked: dict[str, str] = {}

    def client(self, _service: str) -> "Session":
        """Be the client too."""
        return self

    def get_object(self, **asked: str) -> dict[str, Any]:
        """Return the object, whatever its name."""
        self.asked = asked
        return {"Body": io.BytesIO(self.content)}


def _archive(*members: tarfile.TarInfo) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for member in members:
            archive.addfile(member, io.BytesIO(b"x" * member.size))
    return packed.getvalue()


def _member(name: str, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type = kind
    member.size = 3 if kind == tarfile.REGTYPE else 0
    member.linkname = "/etc/passwd" if kind in {tarfile.SYMTYPE, tarfile.LNKTYPE} else ""
    return member


def _unpack(content: bytes, folder: Path) -> Session:
    session: Any = Session(content)
    unpack(session, "s3://bucket/models/a/model.tar.gz", folder)
    return session  # type: ignore[no-any-return] # the fake stands in for boto3's class


def test_plain_files_are_unpacked_read_only(tmp_path: Path) -> None:
    """The members of a good archive lie in the folder, with their bytes, and nobody may write them."""
    session = _unpack(_archive(_member("a.gguf"), _member("model-manifest.json")), tmp_path / "model")

    assert session.asked == {"Bucket": "bucket", "Key": "models/a/model.tar.gz"}
    assert {file.name: file.read_bytes() for file in (tmp_path / "model").iterdir()} == {
        "a.gguf": b"xxx",
        "model-manifest.json": b"xxx",
    }
    assert {0o444} == {file.stat().st_mode & 0o777 for file in (tmp_path / "model").iterdir()}


@pytest.mark.parametrize(
    "member",
    [
        _member("link", tarfile.SYMTYPE),
        _member("hard", tarfile.LNKTYPE),
        _member("pipe", tarfile.FIFOTYPE),
        _member("folder", tarfile.DIRTYPE),
        _member("/etc/absolute"),
        _member("../outside"),
        _member("a/../../outside"),
        _member(".hidden"),
    ],
    ids=lambda member: member.name,
)
def test_anything_but_a_plain_visible_file_is_refused(tmp_path: Path, member: tarfile.TarInfo) -> None:
    """Links, devices, folders, hidden files and names that leave the folder end the unpacking."""
    with pytest.raises(ArchiveRefusedError, match="not a plain, visible file"):
        _unpack(_archive(_member("a.gguf"), member), tmp_path / "model")

    assert [tmp_path / "model"] == list(tmp_path.iterdir())


@given(st.binary(max_size=200))
def test_bytes_that_are_no_archive_are_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """Bytes that are not gzip, or not a tar inside, are refused and not taken for an empty archive."""
    for packed in (content, gzip.compress(content + b"x")):
        with pytest.raises(ArchiveRefusedError):
            _unpack(packed, tmp_path_factory.mktemp("a") / "model")
