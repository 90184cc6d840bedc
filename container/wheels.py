"""`python wheels.py REPORT`: which wheels pip installed, from the report that it wrote.

Prints a JSON array, sorted by file: name, version, file and SHA-256 of each. Of where a wheel came from nothing is
kept: it may be a mirror, whose address may hold a password.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit


def wheels(report: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return what a report of `pip install --report` says was installed.

    Raises:
        ValueError: Something else than a wheel was installed, or its SHA-256 is not told.
    """
    return sorted((_wheel(entry) for entry in report["install"]), key=lambda wheel: wheel["file"])


def _wheel(entry: Mapping[str, Any]) -> dict[str, str]:
    download, metadata = entry["download_info"], entry["metadata"]
    archive = download.get("archive_info", {})
    kind, _, told = str(archive.get("hash", "")).partition("=")  # what pip wrote before 23.1
    digest = archive.get("hashes", {}).get("sha256") or (told if kind == "sha256" else "")
    file = PurePosixPath(unquote(urlsplit(download["url"]).path)).name
    if not file.endswith(".whl") or len(digest) != 64:  # noqa: PLR2004 - hexadecimal digits of a SHA-256
        raise ValueError(f"{metadata['name']}: {file} is no wheel with a SHA-256")
    return {"name": metadata["name"], "version": metadata["version"], "file": file, "sha256": digest}


if __name__ == "__main__":
    json.dump(wheels(json.loads(Path(sys.argv[1]).read_text("utf-8"))), sys.stdout, indent=1)
    sys.stdout.write("\n")
