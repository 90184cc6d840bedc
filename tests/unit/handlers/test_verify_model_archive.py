"""What the archive may be: exactly two flat files with the pinned content, and not one byte more."""

import gzip
import hashlib
import io
import tarfile
import tracemalloc
import zlib
from collections.abc import Mapping
from types import MappingProxyType, SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import verify_model
from lifecycle import RefusedError
from tests.unit.handlers.archives import (
    GGUF,
    FakeStore,
    canonical,
    manifest_of,
    manifest_with,
    member,
    model_archive,
    pinned_of,
    properties,
    request,
    sha256_of,
    tar_gz,
)

GGUF_MEMBER = member("tiny.gguf", GGUF)
MANIFEST_MEMBER = member("model-manifest.json", manifest_of(GGUF))
RIGHT = model_archive()


def refusal(
    archive: bytes, changes: Mapping[str, object] = MappingProxyType({}), store: FakeStore | None = None
) -> str:
    """Return the sentence that refuses an archive, or nothing when it is accepted."""
    store = store or FakeStore(archive)
    try:
        verify_model.on_event(request("Create", properties(changes=changes)), None, lambda: store)
    except RefusedError as error:
        return str(error)
    return ""


@pytest.mark.rule("an archive with another GGUF is refused, both digests named", tool="zlib, hashlib")
@pytest.mark.parametrize("other", [b"GGUF" + GGUF[4:][::-1], b"GGUF short", GGUF + bytes(100_000)])
def test_another_gguf_is_refused_with_both_digests(other: bytes) -> None:
    """Whether it is as long, shorter or longer, the sentence names what is there and what is pinned."""
    sentence = refusal(model_archive(other))

    assert hashlib.sha256(other).hexdigest() in sentence
    assert hashlib.sha256(GGUF).hexdigest() in sentence


def test_another_manifest_is_refused_with_both_digests() -> None:
    """The pin's part of the manifest is pinned byte by byte."""
    other = pinned_of(GGUF, name="another")

    sentence = refusal(model_archive(manifest=manifest_with(other)))

    assert f"of a pin with sha256 {sha256_of(other)}, expected is {sha256_of(pinned_of(GGUF))}" in sentence


def test_what_the_build_found_in_the_gguf_is_not_pinned() -> None:
    """It is known to whoever has read the GGUF, which a deployment's settings have not."""
    assert not refusal(model_archive(manifest=manifest_with(pinned_of(GGUF), gguf={"architecture": "another"})))


@pytest.mark.parametrize(
    ("pinned", "sentence"),
    [
        (pinned_of(GGUF, sha256="0" * 64), "whose sha256 is"),
        (pinned_of(GGUF, bytes=1), "whose bytes is 1"),
        (pinned_of(GGUF, bytes=float(len(GGUF))), "whose bytes is"),
        (pinned_of(GGUF, file="other.gguf"), "whose file is"),
        (pinned_of(GGUF, parts=[{"file": "b.gguf", "bytes": 1, "sha256": "0" * 64}]), "whose parts is"),
        (pinned_of(GGUF, parts=[]), "whose parts is"),
        ([], "whose file is None"),
    ],
)
def test_a_manifest_that_contradicts_the_pin_is_refused(pinned: object, sentence: str) -> None:
    """A pin's manifest with the pinned digest must also say what the other properties say."""
    assert sentence in refusal(model_archive(manifest=manifest_with(pinned)), {"ManifestSha256": sha256_of(pinned)})


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        (canonical(pinned_of(GGUF)), "is not the canonical object"),
        (manifest_with(pinned_of(GGUF), builder={}), "is not the canonical object"),
        (manifest_of(GGUF) + b" ", "is not the canonical object"),
        (manifest_of(GGUF).replace(b'{"gguf":', b'{"gguf":{},"gguf":'), "is not the canonical object"),
        (manifest_with(pinned_of(GGUF), manifest_sha256="0" * 64), "of a pin with sha256"),
        (b"[]", "is not the canonical object"),
        (b"{", "is not JSON"),
        (b"\xff", "is not JSON"),
        (b'{"gguf":"\\ud800","manifest":0,"manifest_sha256":0,"schema_version":0}', "is not JSON"),
        (b"[" * 60_000, "is not JSON"),
    ],
)
def test_a_manifest_of_another_form_is_refused(manifest: bytes, sentence: str) -> None:
    """Whoever reads it finds one and the same thing in it."""
    assert sentence in refusal(model_archive(manifest=manifest))


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
