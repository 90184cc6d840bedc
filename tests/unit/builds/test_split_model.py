"""A split GGUF is fetched, proven and published whole, all of its files or none."""

import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from download import Patience, Source
from model_pin import HubFile, ModelPin, PackagingError, StoredObject
from package_model import Place, package
from project_environment import read_pin
from sources import ObjectSource
from tests.unit.builds.fake_store import FakeStore
from tests.unit.builds.hub import Answer, hub
from tests.unit.builds.pins import REVISION, environment
from tests.unit.builds.places import on_hub
from tests.unit.builds.split_gguf import split
from tests.unit.builds.tiny_gguf import tiny_gguf

FIRST, SECOND, THIRD = NAMES = [f"tiny-{number:05}-of-00003.gguf" for number in (1, 2, 3)]


@pytest.fixture
def parts(tmp_path: Path) -> dict[str, bytes]:
    """A set of three files; the last holds one tensor, the first none."""
    path = tmp_path / "whole.gguf"
    path.write_bytes(tiny_gguf())
    return split(path, "tiny", [0, 2, 1])


def variables(
    parts: dict[str, bytes], packaging: str = "archive", changes: Mapping[str, object] = MappingProxyType({})
) -> dict[str, str]:
    """The environment that pins a set, but for some changes of its manifest."""
    pins = [
        {"file": name, "bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()} for name, body in parts.items()
    ]
    said = {"schema_version": 2, "name": "tiny", **pins[0], "parts": pins[1:], **changes}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    folder = f"models/{pins[0]['sha256']}/{hashlib.sha256(text.encode()).hexdigest()}"
    form = "model.tar.gz" if packaging == "archive" else f"uncompressed/model/{FIRST}"
    return environment(parts[FIRST]) | {
        "MODEL_FILE": FIRST,
        "MODEL_PACKAGING": packaging,
        "MANIFEST": text,
        "ARTIFACT_KEY": f"{folder}/{form}",
        "MODEL_SOURCE_KIND": "s3",
        "MODEL_SOURCE_URI": f"s3://models/q4/{FIRST}",
    }


def in_bucket(store: FakeStore) -> Callable[[Place], Source]:
    """Open each place at its own key of a store."""

    def source_at(place: Place) -> Source:
        assert isinstance(place, StoredObject)
        return ObjectSource(place, store)

    return source_at


def published(parts: dict[str, bytes], pin: ModelPin, folder: Path) -> dict[str, bytes]:
    """Package a set that lies in a bucket, and return what was written."""
    given = {f"q4/{name}": body for name, body in parts.items()}
    store = FakeStore(objects=dict(given))
    try:
        package(pin, in_bucket(store), store, folder, Patience())
    finally:
        assert store.uploads == {}
        written = {key: body for key, body in store.objects.items() if key not in given}
    return written


def refusal(parts: dict[str, bytes], pin: ModelPin, folder: Path) -> str:
    """Return why a set is refused, having left nothing."""
    with pytest.raises(PackagingError) as refused:
        published(parts, pin, folder)
    return str(refused.value)


@pytest.mark.rule(
    "a split model is published whole, every part of it proven, or not at all",
    tool="the build's own script, the gguf package",
    emulated="S3",
)
def test_a_set_is_published_as_one_archive(parts: dict[str, bytes], tmp_path: Path) -> None:
    """Its members are the files in their order, and the manifest that names them."""
    pin = read_pin(variables(parts))

    written = published(parts, pin, tmp_path)

    assert written.keys() == {pin.key, pin.side_copy_key}
    with tarfile.open(fileobj=io.BytesIO(written[pin.key])) as archive:
        found = {member.name: file.read() for member in archive if (file := archive.extractfile(member))}
    manifest = json.loads(found.pop("model-manifest.json"))
    assert list(found.items()) == list(parts.items())
    assert [part["file"] for part in manifest["manifest"]["parts"]] == [SECOND, THIRD]
    assert manifest["gguf"]["tensors"] == 3


def test_a_set_is_published_as_files_the_first_last(parts: dict[str, bytes], tmp_path: Path) -> None:
    """Whoever sees the first file sees a whole set, and the record names each object."""
    pin = read_pin(variables(parts, "uncompressed"))

    written = published(parts, pin, tmp_path)

    prefix = f"{pin.key.rpartition('/')[0]}/"
    assert list(written)[-1] == pin.key
    assert {name: written[f"{prefix}{name}"] for name in NAMES} == parts
    assert written.keys() == {*(f"{prefix}{name}" for name in (*NAMES, "model-manifest.json")), pin.side_copy_key}
    record = json.loads(written[pin.side_copy_key])["published"]
    assert [each["key"] for each in record["objects"]] == [f"{prefix}{name}" for name in NAMES]


@pytest.mark.parametrize("packaging", ["archive", "uncompressed"])
@pytest.mark.parametrize("name", NAMES)
def test_a_part_that_is_wrong_or_absent_leaves_nothing(
    packaging: str, name: str, parts: dict[str, bytes], tmp_path: Path
) -> None:
    """Each is proven before anything is written."""
    pin = read_pin(variables(parts, packaging))
    body = parts[name]
    flipped = body[:-1] + bytes([body[-1] ^ 1])

    assert "pinned is sha256" in refusal(parts | {name: flipped}, pin, tmp_path)
    assert "bytes, pinned are" in refusal(parts | {name: body[:-1]}, pin, tmp_path)
    assert "NoSuchKey" in refusal({other: parts[other] for other in NAMES if other != name}, pin, tmp_path)


def test_parts_of_which_one_says_another_place_are_refused(parts: dict[str, bytes], tmp_path: Path) -> None:
    """Renamed files have the pinned digests; what they say of themselves does not agree."""
    swapped = {FIRST: parts[FIRST], SECOND: parts[THIRD], THIRD: parts[SECOND]}

    assert "file 2 of 3 says split.no 2" in refusal(swapped, read_pin(variables(swapped)), tmp_path)


def test_a_set_of_another_count_is_refused(parts: dict[str, bytes], tmp_path: Path) -> None:
    """The names say three; the tensors of the first say that there are more."""
    path = tmp_path / "other.gguf"
    path.write_bytes(tiny_gguf())
    foreign = split(path, "tiny", [0, 1, 1, 1])
    mixed = {FIRST: next(iter(foreign.values())), SECOND: parts[SECOND], THIRD: parts[THIRD]}

    assert "file 1 of 3 says split.no 0 and split.count 4" in refusal(mixed, read_pin(variables(mixed)), tmp_path)


def test_parts_of_the_hub_are_asked_for_in_the_first_ones_folder(parts: dict[str, bytes], tmp_path: Path) -> None:
    """Repositories keep a set in a folder of its own."""
    changes = {
        "MODEL_SOURCE_KIND": "huggingface",
        "MODEL_SOURCE_REPOSITORY": "semif/tiny-GGUF",
        "MODEL_SOURCE_REVISION": REVISION,
        "MODEL_SOURCE_FOLDER": "q4/deep",
    }
    pin, store = read_pin(variables(parts) | changes), FakeStore()

    with hub([Answer(body) for body in parts.values()]) as running:
        package(pin, on_hub(running.url), store, tmp_path, Patience())

    assert isinstance(pin.source, HubFile)
    assert [path for path, _ in running.asked] == [
        f"/semif/tiny-GGUF/resolve/{REVISION}/q4/deep/{name}" for name in NAMES
    ]


def test_time_is_for_all_parts_together(parts: dict[str, bytes], tmp_path: Path) -> None:
    """The second may not take as long again as the first had."""
    now = iter(range(0, 10**6, 700))
    pin, store = read_pin(variables(parts)), FakeStore(objects={f"q4/{name}": body for name, body in parts.items()})

    with pytest.raises(PackagingError, match=r"00003-of-00003\.gguf sent 0 of \d+ bytes within 1800 seconds"):
        package(pin, in_bucket(store), store, tmp_path, Patience(clock=lambda: next(now)))


def of(name: str, **changes: object) -> dict[str, Any]:
    """A part in a manifest."""
    return {"file": name, "bytes": 5, "sha256": "d" * 64} | changes


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"parts": []}, f"its parts must be {SECOND}, {THIRD}"),
        ({"parts": [of(THIRD), of(SECOND)]}, f"its parts must be {SECOND}, {THIRD}"),
        ({"parts": [of(SECOND), of(THIRD, bytes="5")]}, "each with bytes and sha256"),
        ({"parts": [of(SECOND), of(THIRD, bytes=True)]}, "each with bytes and sha256"),
        ({"parts": [of(SECOND), of(THIRD, bytes=0)]}, "each with bytes and sha256"),
        ({"parts": [of(SECOND), of(THIRD, sha256="D" * 64)]}, "each with bytes and sha256"),
        ({"parts": [of(SECOND), of(THIRD, sha256=5)]}, "its parts are malformed"),
        ({"parts": [of(SECOND), {"file": THIRD}]}, "its parts are malformed"),
        ({"parts": [SECOND, THIRD]}, "its parts are malformed"),
        ({"parts": 5}, "its parts are malformed"),
    ],
)
def test_a_manifest_whose_parts_are_no_set_is_refused(
    changes: dict[str, object], sentence: str, parts: dict[str, bytes]
) -> None:
    """Before anything is fetched."""
    with pytest.raises(PackagingError, match="MANIFEST: its parts") as refused:
        read_pin(variables(parts, changes=changes))

    assert sentence in str(refused.value)


@pytest.mark.parametrize("folder", ["/q4", "q4/", "../q4", "q4//deep", "a/b/c/d/e"])
def test_a_folder_that_is_none_is_refused(folder: str, parts: dict[str, bytes]) -> None:
    """It becomes a part of an address."""
    changes = {
        "MODEL_SOURCE_KIND": "huggingface",
        "MODEL_SOURCE_REPOSITORY": "semif/tiny-GGUF",
        "MODEL_SOURCE_REVISION": REVISION,
        "MODEL_SOURCE_FOLDER": folder,
    }

    with pytest.raises(PackagingError, match=r"MODEL_SOURCE_FOLDER: .* does not match"):
        read_pin(variables(parts) | changes)


def test_a_later_part_is_no_first_one(parts: dict[str, bytes]) -> None:
    """The key is that of the first file."""
    with pytest.raises(PackagingError, match=f"MODEL_FILE: {SECOND} is not the first part of its set"):
        read_pin(variables(parts, changes={"file": SECOND}) | {"MODEL_FILE": SECOND})
