"""The environment that the project gives to a build, for any content."""

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType

REVISION = "4168f45a16a1290d65a4ec0fa312ae917a4c15d6"


def environment(content: bytes, changes: Mapping[str, str | None] = MappingProxyType({})) -> dict[str, str]:
    """The variables that pin some content as tiny.gguf on the hub, but for some changes; None takes one away."""
    sha256 = hashlib.sha256(content).hexdigest()
    fields = {"schema_version": 1, "name": "tïny", "file": "tiny.gguf", "bytes": len(content), "sha256": sha256}
    manifest = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    folder = f"models/{sha256}/{hashlib.sha256(manifest.encode()).hexdigest()}"
    variables: dict[str, str | None] = {
        "MODEL_FILE": "tiny.gguf",
        "MODEL_BYTES": str(len(content)),
        "MODEL_SHA256": sha256,
        "MODEL_SOURCE_KIND": "huggingface",
        "MODEL_SOURCE_REPOSITORY": "semif/tiny-GGUF",
        "MODEL_SOURCE_REVISION": REVISION,
        "MODEL_PACKAGING": "archive",
        "MANIFEST": manifest,
        "ARTIFACT_BUCKET": "semif-artifacts",
        "ARTIFACT_KEY": f"{folder}/model.tar.gz",
        "CODEBUILD_BUILD_ID": "model-package:7f3c1b52",
    }
    if changes.get("MODEL_PACKAGING") == "uncompressed":
        variables["ARTIFACT_KEY"] = f"{folder}/uncompressed/model/tiny.gguf"
    return {name: value for name, value in (variables | dict(changes)).items() if value is not None}
