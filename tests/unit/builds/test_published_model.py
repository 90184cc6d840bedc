"""Both packagings are published whole, once and last, with a record beside them."""

import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

import model_manifest
import published_model
from download import Patience
from feasibility import SLACK_BYTES, check_feasible
from model_pin import MODEL_MANIFEST, ModelPin, PackagingError, PinnedFile, StoredObject
from package_model import CONFLICT_PAUSES_SECONDS, package
from project_environment import read_pin
from published_model import PublishedModel
from tests.unit.builds.fake_store import FakeStore, refused
from tests.unit.builds.pins import environment
from tests.unit.builds.places import in_store
from tests.unit.builds.tiny_gguf import tiny_gguf

GGUF = tiny_gguf()
SUMMARY: dict[str, int | str | None] = {"architecture": "llama"}
BUILDER = {"build": "arn:aws:codebuild:eu-central-1:111122223333:build/model-package:7f3c1b52"}


def pin_of(packaging: str) -> ModelPin:
    """The pin in one packaging."""
    return read_pin(environment(GGUF, {"MODEL_PACKAGING": packaging}))


def published(pin: ModelPin, store: FakeStore) -> bool:
    """Publish the pin's GGUF."""
    return PublishedModel(pin, SUMMARY, store, BUILDER).publish([(pin.files[0], io.BytesIO(GGUF))])


def test_files_are_published_as_they_are_and_the_gguf_last() -> None:
    """The prefix holds the GGUF and its manifest and nothing else; the record lies outside of it."""
    pin, store = pin_of("uncompressed"), FakeStore()

    assert published(pin, store)

    prefix = pin.key.rpartition("/")[0] + "/"
    assert {key.removeprefix(prefix): body for key, body in store.objects.items() if key.startswith(prefix)} == {
        "tiny.gguf": GGUF,
        MODEL_MANIFEST: model_manifest.inside(pin, SUMMARY),
    }
    assert list(store.objects)[-1] == pin.key
    assert store.objects.keys() - {pin.key, f"{prefix}{MODEL_MANIFEST}"} == {pin.side_copy_key}


@pytest.mark.parametrize("packaging", ["archive", "uncompressed"])
def test_the_record_says_what_where_from_and_by_whom(packaging: str) -> None:
    """Manifest, metadata, what was published with its digest, and the builder, whom the manifest does not name."""
    pin, store = pin_of(packaging), FakeStore()

    published(pin, store)

    record = json.loads(store.objects[pin.side_copy_key])
    body = store.objects[pin.key]
    its = {"key": pin.key, "bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    assert record == {
        "schema_version": 2,
        "manifest": json.loads(pin.manifest),
        "manifest_sha256": pin.manifest_sha256,
        "gguf": SUMMARY,
        "published": {"packaging": packaging, "objects": [its]},
        "builder": BUILDER,
    }


def test_the_manifest_inside_is_the_record_without_publication_and_builder() -> None:
    """It is canonical, so that the same model makes the same bytes whoever builds it."""
    pin, store = pin_of("archive"), FakeStore()
    published(pin, store)
    record = json.loads(store.objects[pin.side_copy_key])

    with tarfile.open(fileobj=io.BytesIO(store.objects[pin.key])) as archive:
        inside = archive.extractfile(MODEL_MANIFEST)
        assert inside
        text = inside.read()

    del record["published"], record["builder"]
    assert json.loads(text) == record
    assert text == json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert b"7f3c1b52" not in text


@pytest.mark.parametrize("packaging", ["archive", "uncompressed"])
def test_what_is_there_is_left_as_it_is(packaging: str) -> None:
    """The second publication writes nothing, also no other record."""
    pin, store = pin_of(packaging), FakeStore()
    published(pin, store)
    before = dict(store.objects)

    other = PublishedModel(pin, SUMMARY, store, {"build": "somebody else"})

    assert not other.publish([(pin.files[0], io.BytesIO(GGUF))])
    assert store.objects == before


def test_a_gguf_too_large_for_one_put_is_uploaded_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bytes are the same; S3 then has no digest of the whole."""
    monkeypatch.setattr(published_model, "MOST_PUT_BYTES", len(GGUF) - 1)
    monkeypatch.setattr(published_model, "part_bytes", lambda _: 64)
    pin, store = pin_of("uncompressed"), FakeStore()

    assert published(pin, store)

    assert store.objects[pin.key] == GGUF
    assert "complete_multipart_upload" in store.calls


@pytest.mark.parametrize("most", [1, len(GGUF)])
def test_a_file_that_changed_on_disk_is_not_published_uncompressed(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one put S3 itself refuses the digest; in parts the build does before the last one."""
    monkeypatch.setattr(published_model, "MOST_PUT_BYTES", most)
    pin, store = pin_of("uncompressed"), FakeStore()

    with pytest.raises((PackagingError, ClientError), match=r"changed on disk|BadDigest"):
        PublishedModel(pin, SUMMARY, store, BUILDER).publish([(pin.files[0], io.BytesIO(GGUF[::-1]))])

    assert pin.key not in store.objects
    assert store.uploads == {}


@pytest.mark.rule(
    "two imports of one pin at the same time both succeed: one publishes, the other finds it",
    tool="the build's own script",
    emulated="S3's answer to the conflict",
)
@pytest.mark.parametrize("packaging", ["archive", "uncompressed"])
def test_a_key_that_somebody_else_completes_meanwhile_is_found(packaging: str, tmp_path: Path) -> None:
    """S3 answers 409 while the other write is under way, and 412 when it is done: that is success."""
    pin, slept = pin_of(packaging), list[float]()

    class Contested(FakeStore):
        """A store in which another build completes the key while this one waits."""

        def _write(self, key: str, content: bytes, call: Any) -> None:
            if key == pin.key and not slept:
                raise refused("ConditionalRequestConflict", "Put")
            super()._write(key, content, call)

    def wait(seconds: float) -> None:
        slept.append(seconds)
        store.objects[pin.key] = b"the other's"

    store = Contested(objects={"k": GGUF})

    sentence = package(pin, in_store(store), store, tmp_path, Patience(sleep=wait))

    assert sentence.endswith("was published before and is left as it is.")
    assert store.objects[pin.key] == b"the other's"
    assert slept == [CONFLICT_PAUSES_SECONDS[0]]
    assert store.uploads == {}


def test_a_conflict_without_end_fails_with_its_sentence(tmp_path: Path) -> None:
    """Patience ends; nothing is left."""
    store = FakeStore(objects={"k": GGUF}, broken={"put_object": "ConditionalRequestConflict"})

    with pytest.raises(PackagingError, match="is being written by another build"):
        package(pin_of("archive"), in_store(store), store, tmp_path, Patience(sleep=lambda _: None))

    assert set(store.objects) == {"k"}


def test_a_model_too_large_for_the_time_is_refused_with_both_figures(tmp_path: Path) -> None:
    """Before anything is fetched."""
    with pytest.raises(PackagingError, match=r"its download takes 60 seconds, 30 are allowed"):
        check_feasible(pin_with_bytes(20_000_000 * 60), tmp_path, 30)


def test_a_model_too_large_for_the_disk_is_refused_with_both_figures(tmp_path: Path) -> None:
    """The archive is a stream: only the GGUF itself lies on the disk."""
    size = 10**15 - 1

    with pytest.raises(PackagingError, match=rf"bytes free, {size + SLACK_BYTES} are needed"):
        check_feasible(pin_with_bytes(size), tmp_path, 1800)


def pin_with_bytes(size: int) -> ModelPin:
    """A pin of a file of some size."""
    file = PinnedFile("tiny.gguf", size, "0" * 64)
    return ModelPin((file,), b"{}", StoredObject("b", "k"), "artifacts", "models/k")
