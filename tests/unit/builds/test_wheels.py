"""The list of wheels that the image holds is made from pip's report and tells nothing else."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from wheels import wheels

SCRIPT = Path(__file__).parents[3] / "container" / "wheels.py"
SHA256 = "b" * 64


def installed(name: str, url: str, **archive: Any) -> dict[str, Any]:
    """An entry of pip's report."""
    return {"metadata": {"name": name, "version": "1.0"}, "download_info": {"url": url, "archive_info": archive}}


@pytest.mark.parametrize("archive", [{"hashes": {"sha256": SHA256}}, {"hash": f"sha256={SHA256}"}])
def test_wheel_is_listed_with_file_and_digest(archive: dict[str, Any]) -> None:
    """Older and newer versions of pip tell the digest in different places; of the address only the file stays."""
    url = "https://user:password@mirror.example/simple/a/a-1.0%2Bcpu-py3-none-any.whl?token=secret#sha256=x"

    (wheel,) = wheels({"install": [installed("a", url, **archive)]})

    assert wheel == {"name": "a", "version": "1.0", "file": "a-1.0+cpu-py3-none-any.whl", "sha256": SHA256}


def test_wheels_are_sorted_by_file() -> None:
    """The same wheels give the same list."""
    entries = [installed(name, f"file:///{name}.whl", hashes={"sha256": SHA256}) for name in "cab"]

    assert [wheel["name"] for wheel in wheels({"install": entries})] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("url", "archive"),
    [
        ("https://example/a-1.0.tar.gz", {"hashes": {"sha256": SHA256}}),
        ("https://example/a-1.0.whl", {"hashes": {"md5": "c" * 32}}),
        ("https://example/a-1.0.whl", {"hash": "md5=" + "c" * 64}),
        ("https://example/a-1.0.whl", {}),
    ],
)
def test_what_is_no_wheel_with_a_digest_fails_the_build(url: str, archive: dict[str, Any]) -> None:
    """A list with a gap would be believed."""
    with pytest.raises(ValueError, match="is no wheel with a SHA-256"):
        wheels({"install": [installed("a", url, **archive)]})


def test_script_prints_the_list_of_a_report(tmp_path: Path) -> None:
    """As the Dockerfile calls it."""
    report = tmp_path / "installed.json"
    report.write_text(json.dumps({"install": [installed("a", "file:///a.whl", hashes={"sha256": SHA256})]}))

    done = subprocess.run((sys.executable, SCRIPT, report), capture_output=True, text=True, check=True)

    assert [wheel["file"] for wheel in json.loads(done.stdout)] == ["a.whl"]
