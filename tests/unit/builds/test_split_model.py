"""A split GGUF is fetched, proven and published whole, all of its files or none."""

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from download import Patience, Source
from model_pin import HubFile, ModelPin, PackagingError, StoredObject
from package_model import Place, package
from project_environment import read_pin
from sources import ObjectSource
from tests.unit.builds.fake_store import FakeStore
from tests.unit.builds.hub import Answer, hub
from tests.unit.builds.pinned_set import FIRST, NAMES, SECOND, THIRD, variables
from tests.unit.builds.pins import REVISION
from tests.unit.builds.places import on_hub
from tests.unit.builds.split_gguf import split
from tests.unit.builds.tiny_gguf import tiny_gguf


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
