"""What a scan of an image shall have found on the embedded AWS, which scans none: written by tests, read by its ECR."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path


def put(folder: Path, digest: str, status: str, findings: Sequence[Mapping[str, str]] = ()) -> None:
    """Let ECR answer so about an image from now on.

    Args:
        folder: The emulator's folder.
        digest: The image's digest.
        status: ECR's word for how the scan is.
        findings: Each as ECR's ImageScanFinding has it.
    """
    file = _file(folder, digest)
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"status": status, "findings": list(findings)}), "utf-8")


def of(folder: Path, digest: str) -> tuple[str, list[dict[str, str]]] | None:
    """Return status and findings of an image, or None where nobody put any."""
    file = _file(folder, digest)
    if not file.exists():
        return None
    held = json.loads(file.read_text("utf-8"))
    return held["status"], held["findings"]


def _file(folder: Path, digest: str) -> Path:
    return folder / "image-scans" / f"{digest.replace(':', '-')}.json"
