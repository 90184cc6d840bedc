"""The pins of an environment's file, and whether what they name is there and is what they say."""

import base64
from collections.abc import Callable, Iterator

from botocore.exceptions import BotoCoreError, ClientError

from config.content import image_tag
from config.images import ImagePin
from config.model_source import HuggingFaceSource
from config.settings import Settings
from ops.pins.draft import Draft
from ops.pins.hub import Hub, HubError
from ops.pins.hub_token import TokenError
from ops.pins.images import ImageError, of_platform, registry_account
from ops.refusals import code_of, is_missing, next_action
from ops.report import Line, ok, warning, wrong
from ops.services import Services
from ops.stacks import outputs

_SIZE_ALONE = "has the pinned size; its digest is not stated there"
_ROLL = "docs/operations.md, Roll a model: the pin of a model changes as one"


def look_up(services: Services, hub: Hub, draft: Draft) -> Iterator[Line]:
    """Say for each pin what it names, and whether that is there with the bytes that are pinned.

    Of a file with open pins these are told, and content that would be made of them is not looked for.
    """
    settings = draft.settings
    name = settings.environment.name
    looks: dict[str, Callable[[], Line]] = {
        "model.source": lambda: _guarded("model.source", lambda: _source(services, hub, settings)),
        "model.tokenizer": lambda: _guarded("model.tokenizer", lambda: _tokenizer(hub, settings)),
        "images.chat": lambda: _image(services, settings, "images.chat", settings.images.chat),
        "images.decision_base": lambda: _image(
            services, settings, "images.decision_base", settings.images.decision_base
        ),
    }
    if not settings.model.tokenizer:
        del looks["model.tokenizer"]
    for subject, look in looks.items():
        if rule := draft.open.get(subject):
            named = "--tag TAG" if subject.startswith("images.") else "--revision REVISION"
            yield wrong(subject, f"is open: {rule}", f"python -m ops pin update {name} {subject} {named}")
        else:
            yield look()
    if not draft.open:
        yield from _built(services, settings)


def _image(services: Services, settings: Settings, subject: str, pin: ImagePin) -> Line:
    chat = outputs(services.cloudformation, f"semif-{settings.environment.name}-chat")
    account, _ = registry_account(settings, chat.get("ImageUri", ""))
    named = f"{account}/{pin.repository}@{pin.digest}"
    try:
        image = of_platform(services.ecr, account, pin.repository, pin.digest, pin.of_kind.platform)
    except ImageError as error:
        return wrong(subject, str(error), f"python -m ops pin update {settings.environment.name} {subject} --tag TAG")
    except (ClientError, BotoCoreError) as error:
        return wrong(subject, f"{named}: {error}", next_action(error))
    listed = "" if image.digest == pin.digest else f", of which {pin.of_kind.platform} is {image.digest}"
    return ok(subject, named + listed)


def _guarded(subject: str, look: Callable[[], Line]) -> Line:
    try:
        return look()
    except HubError as error:
        return wrong(subject, str(error), "look at repository, revision and the way to the hub")
    except TokenError as error:
        return wrong(subject, str(error), "docs/operations.md, Fetch a gated or private model")
    except (ClientError, BotoCoreError) as error:
        return wrong(subject, str(error), next_action(error))


def _source(services: Services, hub: Hub, settings: Settings) -> Line:
    model, source = settings.model, settings.model.source
    proofs = set()
    for file in model.files:
        if isinstance(source, HuggingFaceSource):
            named = f"{source.repository}@{source.revision}/{source.path(file.file)}"
            found = hub.file(source.repository, source.revision, source.path(file.file))
            size, sha256 = found.bytes, found.sha256
        else:
            key = source.key if file.file == model.file else source.beside(file.file)
            named = f"s3://{source.bucket}/{key}"
            size, sha256 = _object(services, source.bucket, key)
        if size != file.bytes:
            return wrong("model.source", f"{named} has {size} bytes, {file.bytes} are pinned", _ROLL)
        if sha256 and sha256 != file.sha256:
            return wrong("model.source", f"{named} has SHA-256 {sha256}, {file.sha256} is pinned", _ROLL)
        proofs.add(bool(sha256))
    all_of = f"and {len(model.parts)} further parts: " if model.parts else ""
    proof = "size and SHA-256 are the pinned ones" if all(proofs) else _SIZE_ALONE
    first = f"{source.repository}@{source.revision}/{source.path(model.file)}" if source.kind != "s3" else source.uri
    return ok("model.source", f"{first} {all_of}{proof}")


def _object(services: Services, bucket: str, key: str) -> tuple[int, str]:
    """Return size and SHA-256 of an object; no digest where S3 has only one made of the parts' digests."""
    found = services.s3.head_object(Bucket=bucket, Key=key, ChecksumMode="ENABLED")
    whole = found.get("ChecksumType") == "FULL_OBJECT"
    return found["ContentLength"], _hexadecimal(found.get("ChecksumSHA256", "")) if whole else ""


def _hexadecimal(base64_text: str) -> str:
    return base64.b64decode(base64_text).hex()


def _tokenizer(hub: Hub, settings: Settings) -> Line:
    pin = settings.model.tokenizer
    assert pin
    hub.commit(pin.repository, pin.revision)
    return ok("model.tokenizer", f"{pin.repository}@{pin.revision}")


def _built(services: Services, settings: Settings) -> Iterator[Line]:
    """Say whether the content that the pins come to is published."""
    put_out = outputs(services.cloudformation, f"semif-{settings.environment.name}-artifact")
    key, tag = settings.model.object_key, image_tag(settings.images.decision_base.digest)
    if not put_out:
        yield warning("model key", f"{key} is not published: no artifact stack", "make deploy builds it")
        yield warning("decision image", f"{tag} is not built: no artifact stack", "make deploy builds it")
        return
    bucket, repository = put_out["BucketName"], put_out["RepositoryName"]
    try:
        there = services.s3.list_objects_v2(Bucket=bucket, Prefix=key, MaxKeys=1).get("KeyCount")
    except ClientError as error:
        yield wrong("model key", f"{bucket}: {code_of(error)}", next_action(error))
    else:
        named = f"s3://{bucket}/{key}"
        yield ok("model key", named) if there else warning("model key", f"{named}: not there", "make deploy builds it")
    try:
        services.ecr.describe_images(repositoryName=repository, imageIds=[{"imageTag": tag}])
    except ClientError as error:
        if not is_missing(error):
            yield wrong("decision image", f"{repository}: {code_of(error)}", next_action(error))
        else:
            yield warning("decision image", f"{repository}:{tag}: not there", "make deploy builds it")
    else:
        yield ok("decision image", f"{repository}:{tag}")
