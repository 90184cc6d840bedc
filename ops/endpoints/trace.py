"""From a running endpoint back to the file: every link of the chain, and the one that does not hold."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

from config.content import CONTAINER_DIRECTORY, image_tag
from config.settings import Settings
from ops.ask import ask_decision
from ops.checkout import Checkout, CheckoutError
from ops.endpoints.archive import ArchiveError
from ops.endpoints.deployed import IN_SERVICE, KINDS, Deployed, Kind, deployed, endpoint_name
from ops.endpoints.model_chain import BrokenError, model_links
from ops.pins.images import ImageError, find, registry_account
from ops.report import Line, ok, wrong
from ops.services import Services
from ops.stacks import outputs

_DIFF: Final = "make diff shows what a deployment would change"


def trace(services: Services, settings: Settings, file: Path, checkout: Checkout, *, read: bool) -> list[Line]:
    """Follow both endpoints to the file, its commit, and the sources it pins.

    Args:
        services: The account's clients.
        settings: The environment's settings.
        file: Where they stand.
        checkout: Where container/ and the file lie.
        read: Whether to read the published model and hash it here, which takes as long as downloading it.
    """
    lines: list[Line] = []
    for kind in KINDS:
        try:
            found = deployed(services.sagemaker, endpoint_name(settings, kind))
        except (ClientError, BotoCoreError) as error:
            lines.append(wrong(f"{kind} endpoint", str(error), f"python -m ops doctor {settings.environment.name}"))
            continue
        lines += _kept(f"{kind} configuration", _configuration(kind, found))
        image = _chat_image if kind == "chat" else _decision_image
        lines += _kept(f"{kind} image", image(services, settings, found))
        lines += _kept(f"{kind} model", model_links(services, settings, kind, found, read=read))
    return lines + list(_kept("commit", _commit(file, checkout)))


def _kept(subject: str, links: Iterator[Line]) -> Iterator[Line]:
    """Yield the links up to the first that does not hold, and that one as wrong."""
    try:
        yield from links
    except BrokenError as error:
        yield wrong(f"{subject}", str(error), _DIFF)
    except (ClientError, BotoCoreError, ImageError, ArchiveError, CheckoutError) as error:
        yield wrong(f"{subject}", str(error), "without this link the chain is not proven")


def _configuration(kind: Kind, found: Deployed) -> Iterator[Line]:
    if found.status != IN_SERVICE:
        raise BrokenError(f"{found.name} is {found.status}: {found.failure or 'it is not in service'}")
    yield ok(f"{kind} endpoint", f"{found.name}, {found.status}")
    yield ok(f"{kind} configuration", found.config_name)
    yield ok(f"{kind} model name", found.model_name)


def _chat_image(services: Services, settings: Settings, found: Deployed) -> Iterator[Line]:
    _require_digest(found)
    yield ok("chat image", found.image_uri)
    pin = settings.images.chat
    account, _ = registry_account(settings, found.image_uri)
    if found.image_digest not in find(services.ecr, account, pin.repository, pin.digest).digests():
        raise BrokenError(f"image digest → file: runs {found.image_digest}, images.chat.digest is {pin.digest}")
    yield ok("chat image pin", f"images.chat.digest = {pin.digest}")


def _decision_image(services: Services, settings: Settings, found: Deployed) -> Iterator[Line]:
    _require_digest(found)
    yield ok("decision image", found.image_uri)
    said = ask_decision(services.runtime, found.name)["model"]
    if said["image_digest"] != found.image_digest:
        raise BrokenError(f"image digest → container: it says that it is {said['image_digest']}")
    if said["gguf"]["sha256"] != settings.model.sha256:
        raise BrokenError(f"container → model.sha256: it serves {said['gguf']['sha256']}")
    if (parts := said["gguf"].get("parts", [])) != [part.model_dump() for part in settings.model.parts]:
        raise BrokenError(f"container → model.parts: it serves {', '.join(part['sha256'] for part in parts) or 'none'}")
    yield ok("decision answers", f"it is {said['image_digest']} and serves GGUF {said['gguf']['sha256']}")
    repository = found.image_uri.partition("/")[2].partition("@")[0]
    (image,) = services.ecr.describe_images(repositoryName=repository, imageIds=[{"imageDigest": found.image_digest}])[
        "imageDetails"
    ]
    base = settings.images.decision_base
    # The content hash is over the base's digest and container/: one comparison proves both.
    tag, tags = image_tag(base.digest), image.get("imageTags", [])
    if tag not in tags:
        raise BrokenError(
            f"image digest → content hash: {found.image_digest} is tagged {', '.join(tags) or 'nothing'}; container/ "
            f"of this checkout on {base.digest} comes to {tag}"
        )
    yield ok("decision content", f"{tag}, of container/ and the base")
    account, _ = registry_account(
        settings, outputs(services.cloudformation, f"semif-{settings.environment.name}-chat").get("ImageUri", "")
    )
    find(services.ecr, account, base.repository, base.digest)
    yield ok("decision base pin", f"images.decision_base.digest = {base.digest}")


def _commit(file: Path, checkout: Checkout) -> Iterator[Line]:
    if not checkout.is_repository():
        yield ok("commit", "this checkout is no git repository: content hash and file are where the chain ends")
        return
    yield ok("commit", checkout.commit([CONTAINER_DIRECTORY, file]))


def _require_digest(found: Deployed) -> None:
    if not found.image_digest:
        raise BrokenError(f"model → image digest: {found.image_uri} names no digest")
