"""Files under a prefix get into the container's folder as they are, and nothing gets out of it."""

import io
from pathlib import Path
from typing import Any

import pytest
from botocore.response import StreamingBody

from local_aws.emulator.model_archive import ArchiveRefusedError
from local_aws.emulator.model_prefix import fetch

PREFIX = "models/a/b/uncompressed/model/"


class Session:
    """A session whose S3 holds some objects."""

    def __init__(self, *keys: str) -> None:
        self.keys = keys

    def client(self, _service: str) -> "Session":
        """Be the client too."""
        return self

    def list_objects_v2(self, *, Bucket: str, Prefix: str) -> dict[str, Any]:  # noqa: ARG002, N803 - S3's own spelling
        """List the keys below a prefix."""
        return {"Contents": [{"Key": key} for key in self.keys if key.startswith(Prefix)]}

    def get_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: ARG002, N803 - as above
        """Send an object whose content is its key."""
        return {"Body": StreamingBody(io.BytesIO(Key.encode()), len(Key.encode()))}


def _fetch(url: str, folder: Path, *keys: str) -> None:
    session: Any = Session(*keys)
    fetch(session, url, folder)


def test_files_below_the_prefix_are_fetched_read_only(tmp_path: Path) -> None:
    """A prefix that only begins alike, and what lies beside it, stay where they are."""
    keys = (f"{PREFIX}a.gguf", f"{PREFIX}model-manifest.json", "models/a/b/uncompressed/model-manifest.json")

    _fetch(f"s3://bucket/{PREFIX}", tmp_path / "model", *keys)

    found = {file.name: file.read_text() for file in (tmp_path / "model").iterdir()}
    assert found == {"a.gguf": keys[0], "model-manifest.json": keys[1]}
    assert {0o444} == {file.stat().st_mode & 0o777 for file in (tmp_path / "model").iterdir()}


@pytest.mark.parametrize("name", [".hidden", "../outside", "a/../../outside", "folder/"])
def test_a_key_that_is_no_plain_visible_file_is_refused(name: str, tmp_path: Path) -> None:
    """Nothing is written outside of the folder."""
    with pytest.raises(ArchiveRefusedError, match="not a plain, visible file"):
        _fetch(f"s3://bucket/{PREFIX}", tmp_path / "model", f"{PREFIX}{name}")

    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        (f"s3://bucket/{PREFIX.rstrip('/')}", "ends in a slash"),
        (f"https://bucket/{PREFIX}", "not an s3:// prefix"),
        ("s3://bucket/models/other/", "nothing under"),
    ],
)
def test_an_address_without_files_is_refused(url: str, sentence: str, tmp_path: Path) -> None:
    """SageMaker would fail the endpoint as well."""
    with pytest.raises(ArchiveRefusedError, match=sentence):
        _fetch(url, tmp_path / "model", f"{PREFIX}a.gguf")
