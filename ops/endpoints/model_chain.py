"""From a running endpoint's model data to the pin: key, archive, files, manifest, source."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from config.model import ModelPin
from config.model_source import HuggingFaceSource
from config.settings import Settings
from ops.endpoints.archive import digest, digests
from ops.endpoints.deployed import Deployed, Kind
from ops.report import Line, ok
from ops.services import Services
from ops.stacks import outputs

_MODEL_URL: Final = re.compile(
    r"s3://(?P<bucket>[^/]+)/(?P<key>models/(?P<gguf>[0-9a-f]{64})/(?P<manifest>[0-9a-f]{64})/.*)"
)


class BrokenError(RuntimeError):
    """A link does not hold; what comes after it cannot be followed."""


def model_links(services: Services, settings: Settings, kind: Kind, found: Deployed, *, read: bool) -> Iterator[Line]:
    """Yield the links that hold.

    Args:
        services: The account's clients.
        settings: The environment's settings.
        kind: Whose model.
        found: What runs.
        read: Whether to read the published model and hash it here.

    Raises:
        BrokenError: A link does not.
        ArchiveError: What is published is no archive.
    """
    if kind == "chat" and (hub := settings.chat.hub_model):
        raise BrokenError(f"model → digest: {hub.repository}/{hub.file} of the hub is UNVERIFIED")
    named, pin = _MODEL_URL.fullmatch(found.model_url), settings.model
    if not named:
        raise BrokenError(f"model → model key: {found.model_url or 'no model data'} is not a key made of content")
    yield ok(f"{kind} model key", named["key"])
    yield _archive(services, settings, kind, named, read=read)
    if named["gguf"] != pin.sha256:
        raise BrokenError(f"model key → GGUF: it names {named['gguf']}, model.sha256 is {pin.sha256}")
    yield ok(f"{kind} GGUF", f"model.sha256 = {pin.sha256}")
    if not found.runs_key(f"s3://{named['bucket']}/{pin.object_key}"):
        raise BrokenError(
            f"model key → manifest: it names {named['manifest']}, the file comes to {pin.manifest_sha256}"
        )
    source = pin.source
    named_source = f"{source.repository}@{source.revision}" if isinstance(source, HuggingFaceSource) else source.uri
    yield ok(f"{kind} source", named_source)


def _archive(services: Services, settings: Settings, kind: Kind, named: re.Match[str], *, read: bool) -> Line:
    """Compare what was verified at deployment, or what the bytes are now, with the key."""
    verified, pin = outputs(services.cloudformation, f"semif-{settings.environment.name}-{kind}"), settings.model
    archive, gguf, how = verified.get("ArchiveSha256", ""), verified.get("GgufSha256", ""), "verified at deployment"
    found: Mapping[str, str] = {}
    if read:
        archive, found = _hashed(services, pin, named)
        gguf, how = found[pin.file], "read just now"
    if gguf != named["gguf"]:
        raise BrokenError(f"archive → GGUF: {how}, it holds {gguf or 'nothing known'}, its key names {named['gguf']}")
    for part in pin.parts:
        if found.get(part.file, part.sha256) != part.sha256:
            raise BrokenError(f"archive → {part.file}: {how}, it is {found[part.file]}, pinned is {part.sha256}")
    if read and archive != verified.get("ArchiveSha256", archive):
        raise BrokenError(f"model key → archive: is {archive} now, {verified['ArchiveSha256']} was verified")
    says = f"SHA-256 {archive}, {how}" if archive else f"its GGUF was {how}; --read hashes the archive itself"
    return ok(f"{kind} archive", says)


def _hashed(services: Services, pin: ModelPin, named: re.Match[str]) -> tuple[str, Mapping[str, str]]:
    """Return the digest of an archive, if there is one, and of the model's files by name."""
    names = [file.file for file in pin.files]
    if not named["key"].endswith("/"):
        body = services.s3.get_object(Bucket=named["bucket"], Key=named["key"])["Body"]
        both = digests(body, names)
        return both.archive, both.files
    keys = {name: f"{named['key']}{name}" for name in names}
    bodies = {name: services.s3.get_object(Bucket=named["bucket"], Key=key)["Body"] for name, key in keys.items()}
    return "", {name: digest(body.read) for name, body in bodies.items()}
