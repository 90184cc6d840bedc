"""What must be in registry and bucket after a build, read from there and not from the machine that built."""

import re
from pathlib import Path
from typing import Any

from tests.image.build import CONTENT_LABEL, MANIFEST_TYPE
from tests.image.build_account import IMAGE_REPOSITORY, PROJECT, BuildAccount
from tests.image.failure import StepFailedError

CONFIG_TYPE = "application/vnd.docker.container.image.v1+json"
LAYER_TYPE = "application/vnd.docker.image.rootfs.diff.tar.gzip"


def check_published(account: BuildAccount, tag: str, digest: str, lock: Path) -> None:
    """Refuse an image that is no docker v2 schema 2 manifest, is labelled otherwise, or whose wheels are not listed.

    Args:
        account: Where it was published.
        tag: Its tag.
        digest: Its digest.
        lock: The requirements that its wheels were installed from.

    Raises:
        StepFailedError: With the first thing that does not hold.
    """
    manifest = account.manifest(digest)
    types = {
        manifest["mediaType"],
        manifest["config"]["mediaType"],
        *(each["mediaType"] for each in manifest["layers"]),
    }
    if types != {MANIFEST_TYPE, CONFIG_TYPE, LAYER_TYPE}:
        raise StepFailedError(f"The image is stored with types {sorted(types)}.")
    config = account.registry.config(IMAGE_REPOSITORY, manifest)
    if (label := (config["config"].get("Labels") or {}).get(CONTENT_LABEL)) != tag:
        raise StepFailedError(f"In the registry the image is labelled {CONTENT_LABEL} = {label}, not {tag}.")
    check_wheels(account.stored(f"reports/{PROJECT}/{tag}/wheels.json"), lock.read_text("utf-8"))


def check_wheels(listed: list[dict[str, Any]], lock: str) -> None:
    """Refuse a list that lacks a requirement, or names a file whose digest is not locked for that requirement.

    Raises:
        StepFailedError: With the first such requirement.
    """
    locked = dict(_locked(lock))
    names = [re.sub(r"[-_.]+", "-", wheel["name"]).lower() for wheel in listed]
    if sorted(names) != sorted(locked):
        raise StepFailedError(f"The list of wheels names {sorted(names)}; locked are {sorted(locked)}.")
    for name, wheel in zip(names, listed, strict=True):
        if wheel["sha256"] not in locked[name]:
            raise StepFailedError(f"{wheel['file']} is listed with a digest that is not locked: {wheel['sha256']}")


def _locked(lock: str) -> list[tuple[str, set[str]]]:
    """Return names and digests of a hashed lock."""
    entries = re.split(r"(?m)^(?=[a-z0-9])", lock)
    return [
        (entry.partition("==")[0], set(re.findall(r"--hash=sha256:([0-9a-f]{64})", entry)))
        for entry in entries
        if "==" in entry.partition("\n")[0]
    ]
