"""The environment of a build whose pin is a set of three files."""

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType

from tests.unit.builds.pins import environment

FIRST, SECOND, THIRD = NAMES = [f"tiny-{number:05}-of-00003.gguf" for number in (1, 2, 3)]


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
