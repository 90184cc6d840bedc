"""What the archive may be: exactly two flat files with the pinned content."""

import gzip
import hashlib
import io
import tarfile
import zlib

import pytest

from tests.unit.handlers.archive_refusal import GGUF_MEMBER, MANIFEST_MEMBER, RIGHT, refusal
from tests.unit.handlers.archives import (
    GGUF,
    manifest_of,
    member,
    model_archive,
    pinned_of,
    sha256_of,
    tar_gz,
)


@pytest.mark.rule("an archive with another GGUF is refused, both digests named", tool="zlib, hashlib")
@pytest.mark.parametrize("other", [b"GGUF" + GGUF[4:][::-1], b"GGUF short", GGUF + bytes(100_000)])
def test_another_gguf_is_refused_with_both_digests(other: bytes) -> None:
    """Whether it is as long, shorter or longer, the sentence names what is there and what is pinned."""
    sentence = refusal(model_archive(other))

    assert hashlib.sha256(other).hexdigest() in sentence
    assert hashlib.sha256(GGUF).hexdigest() in sentence


def test_a_file_without_the_magic_is_refused() -> None:
    """The right digest of something that is no GGUF is a wrong pin."""
    page = b"<html>Not the model</html>"
    changes = {
        "GgufBytes": str(len(page)),
        "GgufSha256": hashlib.sha256(page).hexdigest(),
        "ManifestSha256": sha256_of(pinned_of(page)),
    }

    assert "is no GGUF" in refusal(model_archive(page), changes)


def negative(gguf_member: bytes) -> bytes:
    """A member whose header claims -1 bytes, in the base-256 form that tar has for large sizes."""
    header = bytearray(gguf_member[:512])
    header[124:136] = b"\xff" * 12
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + gguf_member[512:]


def pax(size: int) -> bytes:
    """A pax record that gives the next member another size."""
    record = f"size={size}\n".encode()
    return member("PaxHeader", f"{len(record) + 3} ".encode() + record, type=tarfile.XHDTYPE)


STRUCTURES = {
    "hard link": (tar_gz(member("tiny.gguf", type=tarfile.LNKTYPE, linkname="x"), MANIFEST_MEMBER), "plain file"),
    "symbolic link": (tar_gz(member("tiny.gguf", type=tarfile.SYMTYPE, linkname="/x"), MANIFEST_MEMBER), "plain file"),
    "device": (tar_gz(member("tiny.gguf", type=tarfile.CHRTYPE), MANIFEST_MEMBER), "plain file"),
    "pipe": (tar_gz(member("tiny.gguf", type=tarfile.FIFOTYPE), MANIFEST_MEMBER), "plain file"),
    "folder": (tar_gz(member("model", type=tarfile.DIRTYPE), GGUF_MEMBER, MANIFEST_MEMBER), "plain file"),
    "sparse file": (tar_gz(member("tiny.gguf", GGUF, type=tarfile.GNUTYPE_SPARSE), MANIFEST_MEMBER), "plain file"),
    "contiguous file": (tar_gz(member("tiny.gguf", GGUF, type=tarfile.CONTTYPE), MANIFEST_MEMBER), "plain file"),
    "linkname on a file": (tar_gz(member("tiny.gguf", GGUF, linkname="x"), MANIFEST_MEMBER), "plain file"),
    "pax record": (tar_gz(pax(5), GGUF_MEMBER, MANIFEST_MEMBER), "plain file"),
    "global pax record": (tar_gz(member("g", b"7 a=b\n", type=tarfile.XGLTYPE), GGUF_MEMBER), "plain file"),
    "GNU long name": (tar_gz(member("././@LongLink", b"tiny.gguf\0", type=b"L"), GGUF_MEMBER), "plain file"),
    "path before the name": (tar_gz(member("./tiny.gguf", GGUF), MANIFEST_MEMBER), "further member"),
    "folder before the name": (tar_gz(member("model/tiny.gguf", GGUF), MANIFEST_MEMBER), "further member"),
    "absolute path": (tar_gz(member("/tiny.gguf", GGUF), MANIFEST_MEMBER), "further member"),
    "hidden file": (tar_gz(GGUF_MEMBER, MANIFEST_MEMBER, member("._tiny.gguf", b"x")), "further member"),
    "other letter case": (tar_gz(member("Tiny.gguf", GGUF), MANIFEST_MEMBER), "further member"),
    "second GGUF": (tar_gz(GGUF_MEMBER, GGUF_MEMBER, MANIFEST_MEMBER), "second member"),
    "second manifest": (tar_gz(MANIFEST_MEMBER, GGUF_MEMBER, MANIFEST_MEMBER), "second member"),
    "no manifest": (tar_gz(GGUF_MEMBER), "does not hold model-manifest.json"),
    "no GGUF": (tar_gz(MANIFEST_MEMBER), "does not hold tiny.gguf"),
    "empty tar": (tar_gz(), "does not hold model-manifest.json and tiny.gguf"),
    "huge manifest": (tar_gz(GGUF_MEMBER, member("model-manifest.json", bytes(65537))), "allowed are 65536"),
    "data in the padding": (tar_gz(GGUF_MEMBER[:-1] + b"x", MANIFEST_MEMBER), "between its members"),
    "data after the end": (tar_gz(GGUF_MEMBER, MANIFEST_MEMBER, end=bytes(1024) + b"x"), "behind the end of its tar"),
    "a member after the end": (tar_gz(GGUF_MEMBER, MANIFEST_MEMBER, end=bytes(512) + GGUF_MEMBER), "behind the end"),
    "endless zeros after the end": (tar_gz(GGUF_MEMBER, MANIFEST_MEMBER, end=bytes(20_000)), "behind the end"),
    "half an end": (tar_gz(GGUF_MEMBER, MANIFEST_MEMBER, end=bytes(512)), "ends in the middle of its tar"),
    "no end": (tar_gz(GGUF_MEMBER, MANIFEST_MEMBER, end=b""), "ends in the middle of its tar"),
    "broken header": (tar_gz(b"tiny.gguf" + bytes(503)), "broken tar header"),
    "negative size": (tar_gz(negative(GGUF_MEMBER), MANIFEST_MEMBER), "'tiny.gguf' with a negative size"),
    "second gzip member": (RIGHT + gzip.compress(b""), "behind its one gzip member"),
    "tar split over gzip members": (
        gzip.compress(GGUF_MEMBER) + gzip.compress(MANIFEST_MEMBER + bytes(1024)),
        "middle",
    ),
    "data after gzip": (RIGHT + b"x", "behind its one gzip member"),
    "zeros after gzip": (RIGHT + bytes(512), "behind its one gzip member"),
    "much data after gzip": (RIGHT + bytes(600_000), "behind its one gzip member"),
    "wrong checksum of gzip": (RIGHT[:-8] + bytes(4) + RIGHT[-4:], "not intact gzip"),
    "wrong length of gzip": (RIGHT[:-4] + bytes(4), "not intact gzip"),
    "no gzip": (b"GGUF" * 99, "not intact gzip"),
    "zlib without gzip": (zlib.compress(GGUF_MEMBER), "not intact gzip"),
    "nothing": (b"", "ends in the middle of its gzip member"),
}


@pytest.mark.rule(
    "an archive holds exactly the GGUF and its manifest: no link, extra, hidden or trailing data", tool="zlib, tarfile"
)
@pytest.mark.parametrize(("archive", "sentence"), STRUCTURES.values(), ids=STRUCTURES.keys())
def test_an_archive_that_is_not_two_plain_files_is_refused(archive: bytes, sentence: str) -> None:
    """Every other shape is refused with the reason."""
    assert sentence in refusal(archive)


def test_the_order_of_the_members_does_not_matter() -> None:
    """Both files may come first."""
    assert not refusal(tar_gz(MANIFEST_MEMBER, GGUF_MEMBER))


@pytest.mark.parametrize("layout", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_an_archive_of_the_standard_library_is_accepted(layout: int) -> None:
    """What tarfile itself writes, filled up to a record, is the plain archive meant here."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz", format=layout) as archive:
        for name, content in (("tiny.gguf", GGUF), ("model-manifest.json", manifest_of(GGUF))):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))

    assert not refusal(written.getvalue())
