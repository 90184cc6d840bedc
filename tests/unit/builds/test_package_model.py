"""Only the pinned, whole GGUF is published; everything else leaves nothing under the key."""

import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from archive import archive
from download import Patience
from model_pin import PackagingError
from package_model import package, sources
from project_environment import read_pin
from tests.unit.builds.fake_secrets import FakeSecrets
from tests.unit.builds.fake_store import FakeStore
from tests.unit.builds.hub import Answer
from tests.unit.builds.packaging import GGUF, HALF, packaged, refusal
from tests.unit.builds.pins import REVISION, environment
from tests.unit.builds.places import in_store

FLIPPED = GGUF[:-9] + bytes([GGUF[-9] ^ 1]) + GGUF[-8:]
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 3013027808\n"
PAGE = b"<!doctype html><title>Sign in</title>" + b" " * (len(GGUF) - 37)


def test_the_right_bytes_are_published_under_a_key_made_of_them(tmp_path: Path) -> None:
    """The archive holds the GGUF and its manifest, flat, and its key holds both digests."""
    pin = read_pin(environment(GGUF))

    outcome = packaged([Answer(GGUF)], tmp_path)

    key, record = pin.key, outcome.store.objects.pop(pin.side_copy_key)
    assert set(outcome.store.objects) == {key}
    (published,) = json.loads(record)["published"]["objects"]
    assert published["sha256"] == hashlib.sha256(outcome.store.objects[key]).hexdigest()
    assert hashlib.sha256(GGUF).hexdigest() in key
    with tarfile.open(fileobj=io.BytesIO(outcome.store.objects[key])) as archive:
        found = [(member.name, member.isreg(), member.mtime, member.uid, member.mode) for member in archive]
        contents = [file.read() for member in archive if (file := archive.extractfile(member))]
    assert found == [("tiny.gguf", True, 0, 0, 0o644), ("model-manifest.json", True, 0, 0, 0o644)]
    assert contents[0] == GGUF
    assert json.loads(contents[1])["manifest"] == json.loads(pin.manifest)
    assert outcome.store.metadata[key] == {"gguf-sha256": pin.files[0].sha256, "manifest-sha256": pin.manifest_sha256}
    assert outcome.hub.asked == [(f"/semif/tiny-GGUF/resolve/{REVISION}/tiny.gguf", None)]
    assert outcome.sentence == f"s3://semif-artifacts/{key} is published."


def test_an_archive_is_the_same_every_time(tmp_path: Path) -> None:
    """Nothing of the time, the user or the machine goes in."""
    assert packaged([Answer(GGUF)], tmp_path).store.objects == packaged([Answer(GGUF)], tmp_path).store.objects


@pytest.mark.rule(
    "a download that is not the pinned bytes is refused, nothing is published", tool="the build's own script over HTTP"
)
@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Answer(FLIPPED), "pinned is sha256"),
        (Answer(b"Entry not found"), "has 15 bytes, pinned are"),
        (Answer(POINTER), "bytes, pinned are"),
        (Answer(PAGE), "is no GGUF: it begins with b'<!do'"),
        (Answer(GGUF, cut=HALF), f"ended after {HALF} of {len(GGUF)} bytes"),
        (Answer(GGUF, cut=0), f"ended after 0 of {len(GGUF)} bytes"),
        (Answer(GGUF + b"x"), "bytes, pinned are"),
        (Answer(b"Entry not found", length=None), "is no GGUF"),
        (Answer(POINTER, length=None), "is no GGUF"),
        (Answer(PAGE, length=None), "is no GGUF"),
        (Answer(GGUF[:HALF], length=None), f"ended after {HALF}"),
        (Answer(GGUF + b"x", length=None), "more than the pinned"),
        (Answer(b"", status=404), "status 404"),
        (Answer(b"", status=401), "status 401"),
        (Answer(b"", status=503), "status 503"),
        (Answer(b"", raw=b"GGUF, and no status line\r\n\r\n"), "BadStatusLine"),
        (Answer(b"", raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"), "ended after 0"),
        (Answer(b"", raw=b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"), "ended after 0"),
        (Answer(b"", raw=b"HTTP/1.1 206 Partial\r\nContent-Range: bytes x-y/z\r\n\r\nGGUF"), "without a place"),
        (Answer(b"", status=302), "status 302"),
    ],
)
def test_anything_but_the_right_bytes_is_refused(answer: Answer, sentence: str, tmp_path: Path) -> None:
    """A hub that answers 200 proves nothing; whatever is wrong, nothing is under the key."""
    assert sentence in refusal([answer], tmp_path)


def test_a_flipped_byte_is_refused_with_both_digests(tmp_path: Path) -> None:
    """The sentence says what came and what is pinned."""
    sentence = refusal([Answer(FLIPPED)], tmp_path)

    assert hashlib.sha256(FLIPPED).hexdigest() in sentence
    assert hashlib.sha256(GGUF).hexdigest() in sentence


@pytest.mark.parametrize("end", [4, 24, HALF, len(GGUF) - 1])
def test_a_truncated_gguf_is_refused_even_with_its_own_pin(end: int, tmp_path: Path) -> None:
    """A pin made of a broken file agrees with it; the file's own structure does not."""
    assert "GGUF" in refusal([Answer(GGUF[:end])], tmp_path, GGUF[:end])


def test_an_object_in_s3_is_a_source_as_well() -> None:
    """The pin chooses the source."""
    changes = {"MODEL_SOURCE_KIND": "s3", "MODEL_SOURCE_URI": "s3://models-of-ours/folder/tiny.gguf"}

    object_pin, hub_pin = read_pin(environment(GGUF, changes)), read_pin(environment(GGUF))

    source = sources(object_pin, FakeStore(), FakeSecrets())(object_pin.source)
    hub_source = sources(hub_pin, FakeStore(), FakeSecrets())(hub_pin.source)

    assert str(source) == "s3://models-of-ours/folder/tiny.gguf"
    assert str(hub_source) == f"https://huggingface.co/semif/tiny-GGUF/resolve/{REVISION}/tiny.gguf"


@pytest.mark.parametrize(
    ("objects", "sentence"),
    [
        ({}, "s3://b/k cannot be read: .*NoSuchKey"),
        ({"k": GGUF[:-1]}, "bytes, pinned are"),
        ({"k": FLIPPED}, "pinned is sha256"),
        ({"k": PAGE}, "is no GGUF"),
    ],
)
def test_a_wrong_object_in_s3_is_refused(objects: Mapping[str, bytes], sentence: str, tmp_path: Path) -> None:
    """S3 is trusted no more than the hub."""
    store = FakeStore(objects=dict(objects))

    with pytest.raises(PackagingError, match=sentence):
        package(read_pin(environment(GGUF)), in_store(store), store, tmp_path, Patience())

    assert store.objects == objects


def test_a_disk_too_small_is_refused_before_the_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both figures are named, and the source is not asked."""
    store = FakeStore(objects={"k": GGUF})
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 5, 5))

    with pytest.raises(PackagingError, match=r"has 5 bytes free, \d+ are needed"):
        package(read_pin(environment(GGUF)), in_store(store), store, tmp_path, Patience())

    assert store.calls == []


def test_a_key_that_is_taken_is_left_as_it_is(tmp_path: Path) -> None:
    """Content was published under its own name before: that is success, and nothing is overwritten."""
    pin = read_pin(environment(GGUF))
    store = FakeStore(objects={"k": GGUF, pin.key: b"as it was"})

    sentence = package(pin, in_store(store), store, tmp_path, Patience())

    assert store.objects[pin.key] == b"as it was"
    assert "was published before" in sentence


def test_a_file_that_changes_on_disk_is_not_published() -> None:
    """What is published is proved once more to be what was verified."""
    with pytest.raises(PackagingError, match="changed on disk"):
        list(archive([(read_pin(environment(GGUF)).files[0], io.BytesIO(FLIPPED))], b"{}"))
