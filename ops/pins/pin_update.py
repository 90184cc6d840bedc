"""Ask what the tag of an image or the revision of a repository is now."""

from typing import Final

from config.model_source import HuggingFaceSource, TokenizerPin
from config.settings import Settings
from ops.pins.hub import Hub
from ops.pins.images import of_platform, registry_account
from ops.pins.pin_file import Update, UpdateError
from ops.services import Services
from ops.stacks import outputs

IMAGE_PINS: Final = ("images.chat", "images.decision_base")
HUB_PINS: Final = ("model.source", "model.tokenizer")


def of_image(services: Services, settings: Settings, name: str, tag: str) -> Update:
    """Ask the registry which image a tag is now.

    Args:
        services: The account's clients.
        settings: The environment's settings.
        name: One of IMAGE_PINS.
        tag: The tag; a list of platforms is resolved to the image of the pin's.

    Raises:
        ImageError: There is none, or SageMaker would refuse it.
        botocore.exceptions.ClientError: The registry refuses.
    """
    pin = settings.images.chat if name == "images.chat" else settings.images.decision_base
    chat = outputs(services.cloudformation, f"semif-{settings.environment.name}-chat")
    account, _ = registry_account(settings, chat.get("ImageUri", ""))
    image = of_platform(services.ecr, account, pin.repository, tag, pin.of_kind.platform)
    return Update((*name.split("."), "digest"), pin.digest, image.digest)


def of_hub(hub: Hub, settings: Settings, name: str, revision: str) -> Update:
    """Ask the hub which commit a revision is now.

    Args:
        hub: The hub.
        settings: The environment's settings.
        name: One of HUB_PINS.
        revision: A branch, tag or commit.

    Raises:
        HubError: There is none, or the hub does not answer.
        UpdateError: The pin is of no hub, or the file is another one at that commit.
    """
    model = settings.model
    pin = model.source if name == "model.source" else model.tokenizer
    if not isinstance(pin, HuggingFaceSource | TokenizerPin):
        raise UpdateError(f"{name}: the file pins no revision of the hub there")
    new = hub.commit(pin.repository, revision)
    for file in model.files if name == "model.source" else ():
        assert isinstance(pin, HuggingFaceSource)
        found = hub.file(pin.repository, new, pin.path(file.file))
        if (found.bytes, found.sha256 or file.sha256) != (file.bytes, file.sha256):
            raise UpdateError(
                f"{name}: {file.file} of {pin.repository}@{new} has {found.bytes} bytes and SHA-256 {found.sha256}: "
                "it is another model, and its pin changes as one: docs/operations.md, Roll a model"
            )
    return Update((*name.split("."), "revision"), pin.revision, new)
