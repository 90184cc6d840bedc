"""The model-manifest.json that is served with a model: its part that is the pin's is proven, byte by byte."""

import hashlib
import json

from archive_walk import ArchiveError
from pinned_model import Pin, PinnedFile

MANIFEST = "model-manifest.json"
MANIFEST_BYTES = 1 << 16
_MEMBERS = ("gguf", "manifest", "manifest_sha256", "schema_version")


def check_manifest(text: bytes, pin: Pin) -> None:
    """Compare a manifest with the pin; what the build found in the GGUF is taken as it is.

    Raises:
        ArchiveError: The pin's manifest in it is another one, or says something else of the files.
    """
    try:
        said = json.loads(text)
        # Else a member could be there twice, and every reader would choose one of them.
        if not isinstance(said, dict) or tuple(sorted(said)) != _MEMBERS or _canonical(said) != text:
            raise ArchiveError(f"holds a {MANIFEST} that is not the canonical object of {', '.join(_MEMBERS)}")
        manifest = said["manifest"]
        sha256 = hashlib.sha256(_canonical(manifest)).hexdigest()
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"holds a {MANIFEST} that is not JSON") from error
    if (sha256, said["manifest_sha256"]) != (pin.manifest_sha256,) * 2:
        raise ArchiveError(f"holds a {MANIFEST} of a pin with sha256 {sha256}, expected is {pin.manifest_sha256}")
    first, *further = (_as_json(file) for file in pin.files)
    expected = first | ({"parts": further} if further else {})
    for name in ("file", "bytes", "sha256", "parts"):
        found, wanted = (each.get(name) if isinstance(each, dict) else None for each in (manifest, expected))
        if _canonical(found) != _canonical(wanted):
            raise ArchiveError(f"holds a {MANIFEST} whose {name} is {found!r}, pinned is {wanted!r}")


def _as_json(file: PinnedFile) -> dict[str, object]:
    return {"file": file.name, "bytes": file.bytes, "sha256": file.sha256}


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
