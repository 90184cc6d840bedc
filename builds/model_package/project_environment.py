"""What the project's environment says about the model, parsed once, before anything is fetched."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, cast

from model_pin import HubFile, ModelPin, Packaging, PackagingError, PinnedFile, StoredObject

PATTERNS = {
    "MODEL_FILE": r"[A-Za-z0-9][A-Za-z0-9._-]{0,94}\.gguf",
    "MODEL_BYTES": r"[1-9][0-9]{0,14}",
    "MODEL_SHA256": r"[0-9A-Fa-f]{64}",
    "MODEL_SOURCE_KIND": r"huggingface|s3",
    "MODEL_SOURCE_REPOSITORY": r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}",
    "MODEL_SOURCE_REVISION": r"[0-9a-f]{40}",
    "MODEL_SOURCE_FOLDER": r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}(/[A-Za-z0-9][A-Za-z0-9._-]{0,95}){0,3}",
    "MODEL_SOURCE_URI": r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])/(\S{1,1024})",
    "MODEL_PACKAGING": r"archive|uncompressed",
    "MODEL_TOKEN_SECRET": r"arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]{1,512}",
    "ARTIFACT_BUCKET": r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]",
}
SPLIT_PART = re.compile(r"(.+-)([0-9]{5})(-of-([0-9]{5})\.gguf)")


def read_pin(environment: Mapping[str, str]) -> ModelPin:
    """Parse the environment.

    Raises:
        PackagingError: A variable is missing or malformed, or two of them contradict each other; it is named.
    """
    file = _matched(environment, "MODEL_FILE").group()
    sha256 = _matched(environment, "MODEL_SHA256").group().lower()
    size = int(_matched(environment, "MODEL_BYTES").group())
    text = environment.get("MANIFEST", "").encode()
    manifest = _manifest(text, {"file": file, "bytes": size, "sha256": sha256})
    packaging = cast("Packaging", _matched(environment, "MODEL_PACKAGING").group())
    form = "model.tar.gz" if packaging == "archive" else f"uncompressed/model/{file}"
    key = f"models/{sha256}/{hashlib.sha256(text).hexdigest()}/{form}"
    if environment.get("ARTIFACT_KEY") != key:
        raise PackagingError(f"ARTIFACT_KEY: is {environment.get('ARTIFACT_KEY')!r}, model and manifest make it {key}.")
    return ModelPin(
        files=(PinnedFile(file, size, sha256), *_further(file, manifest.get("parts", []))),
        manifest=text,
        source=_source(environment, file),
        bucket=_matched(environment, "ARTIFACT_BUCKET").group(),
        key=key,
        packaging=packaging,
        token_secret=_matched(environment, "MODEL_TOKEN_SECRET").group()
        if "MODEL_TOKEN_SECRET" in environment
        else None,
    )


def _matched(environment: Mapping[str, str], name: str) -> re.Match[str]:
    value = environment.get(name)
    if value is None:
        raise PackagingError(f"{name}: the variable is missing.")
    match = re.fullmatch(PATTERNS[name], value)
    if match is None:
        raise PackagingError(f"{name}: {value[:200]!r} does not match {PATTERNS[name]}.")
    return match


def _source(environment: Mapping[str, str], file: str) -> HubFile | StoredObject:
    if _matched(environment, "MODEL_SOURCE_KIND").group() == "s3":
        return StoredObject(*_matched(environment, "MODEL_SOURCE_URI").groups())
    repository = _matched(environment, "MODEL_SOURCE_REPOSITORY").group()
    revision = _matched(environment, "MODEL_SOURCE_REVISION").group()
    named = "MODEL_SOURCE_FOLDER" in environment
    folder = f"{_matched(environment, 'MODEL_SOURCE_FOLDER').group()}/" if named else ""
    return HubFile(repository, revision, f"{folder}{file}")


def _further(first: str, parts: Any) -> list[PinnedFile]:  # noqa: ANN401 - any JSON
    """Return the parts behind the first file, which stand in the manifest alone: the key is made of it."""
    named = SPLIT_PART.fullmatch(first)
    if named and int(named[2]) != 1:
        raise PackagingError(f"MODEL_FILE: {first} is not the first part of its set.")
    wanted = [f"{named[1]}{number:05}{named[3]}" for number in range(2, int(named[4]) + 1)] if named else []
    try:
        further = [PinnedFile(part["file"], part["bytes"], part["sha256"]) for part in parts]
        well_formed = all(
            type(part.size) is int and part.size > 0 and re.fullmatch(r"[0-9a-f]{64}", part.sha256) for part in further
        )
    except (TypeError, KeyError) as error:
        raise PackagingError(f"MANIFEST: its parts are malformed ({type(error).__name__}: {error}).") from error
    if [part.name for part in further] != wanted or not well_formed:
        raise PackagingError(
            f"MANIFEST: its parts must be {', '.join(wanted) or 'absent'}, each with bytes and sha256."
        )
    return further


def _manifest(text: bytes, expected: Mapping[str, object]) -> Mapping[str, Any]:
    try:
        manifest = json.loads(text)
    except ValueError as error:
        raise PackagingError(f"MANIFEST: is not JSON ({error}).") from error
    if not isinstance(manifest, dict):
        raise PackagingError("MANIFEST: is not a JSON object.")
    for name, value in expected.items():
        if manifest.get(name) != value:
            raise PackagingError(f"MANIFEST: its {name} is {manifest.get(name)!r}, the model's is {value!r}.")
    return manifest
