"""model-manifest.json: what a published model is, where it comes from, and what it says of itself.

One goes with what is served and depends on the pin and the model's bytes alone; the other lies beside it and says
besides what was published, and by whom.
"""

import json
from collections.abc import Mapping, Sequence

from gguf_description import Summary
from model_pin import ModelPin, Packaging, PinnedFile

SCHEMA_VERSION = 2


def inside(pin: ModelPin, summary: Summary) -> bytes:
    """Return the manifest that is served with the model: canonical JSON, the same for the same model.

    Its `manifest` is the pin's, whose digest is in the key and is verified; `gguf` is what the build found in the file.
    """
    return json.dumps(_of(pin, summary), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def beside(pin: ModelPin, summary: Summary, published: Sequence[PinnedFile], builder: Mapping[str, str]) -> bytes:
    """Return the record of a publication.

    Args:
        pin: What was published.
        summary: What the GGUF says of itself.
        published: The objects by key, written last or about to be.
        builder: Who publishes.
    """
    objects = [{"key": each.name, "bytes": each.size, "sha256": each.sha256} for each in published]
    packaging: Packaging = pin.packaging
    record = {**_of(pin, summary), "published": {"packaging": packaging, "objects": objects}, "builder": dict(builder)}
    return json.dumps(record, sort_keys=True, indent=1, ensure_ascii=False).encode()


def _of(pin: ModelPin, summary: Summary) -> dict[str, object]:
    return {
        "schema_version": SCHEMA_VERSION,
        "manifest": json.loads(pin.manifest),
        "manifest_sha256": pin.manifest_sha256,
        "gguf": summary,
    }
