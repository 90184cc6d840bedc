"""Image pins, and whether an image runs on the machines of its endpoint."""

from typing import Literal, Self

from pydantic import model_validator

from config.hosting import Hosting
from config.image_kind import IMAGE_KINDS, ImageKind, ImageKindName
from config.rules import broken
from config.values import ImageDigest, RepositoryName, Table

ScanMode = Literal["off", "report", "block"]
Severity = Literal["critical", "high", "medium", "low", "informational"]


class ImagePin(Table):
    """One image of the AWS deep learning container for llama.cpp, by digest."""

    repository: RepositoryName
    digest: ImageDigest
    kind: ImageKindName

    @property
    def of_kind(self) -> ImageKind:
        """What the table of image kinds says about it."""
        return IMAGE_KINDS[self.kind]

    @model_validator(mode="after")
    def _repository_holds_the_kind(self) -> Self:
        name = self.of_kind.repository
        if self.repository.rpartition("/")[2] != name:
            raise broken("repository", f"{self.repository} holds no images of kind {self.kind}: it must end in {name}")
        return self

    def check(self, name: str, endpoint: str, hosting: Hosting) -> None:
        """Refuse an instance type or host image that does not suit the image.

        Args:
            name: The image's table below images.
            endpoint: The endpoint's table.
            hosting: That table.

        Raises:
            PydanticCustomError: One does not; the sentence names it.
        """
        field = "instance_pools" if hosting.instance_pools else "instance_type"
        for member in hosting.instance_types:
            if refusal := self.of_kind.refusal(member):
                raise broken(f"{endpoint}.{field}", f"does not suit images.{name}.kind, {self.kind}: {refusal}")
        allowed, first = self.of_kind.ami_versions, hosting.instance_types[0].name
        if allowed and hosting.inference_ami_version not in allowed:
            rule = (
                f"must be {' or '.join(allowed)} on {first}: the image needs its CUDA {self.of_kind.cuda_major} driver"
            )
            raise broken(f"{endpoint}.inference_ami_version", rule)
        if not allowed and hosting.inference_ami_version:
            rule = f"selects a GPU driver and must be absent: {first} has no GPU"
            raise broken(f"{endpoint}.inference_ami_version", rule)


class Images(Table):
    """The image of the chat endpoint as published, the base of our decision image, and what that one's scan decides."""

    chat: ImagePin
    decision_base: ImagePin
    scan: ScanMode
    block_at_severity: Severity | None = None

    @model_validator(mode="after")
    def _blocking_has_a_severity(self) -> Self:
        if self.scan == "block" and not self.block_at_severity:
            raise broken("block_at_severity", "is required where scan is block: findings from there on block")
        if self.scan != "block" and self.block_at_severity:
            raise broken("block_at_severity", f"must be absent: scan is {self.scan}, which blocks nothing")
        return self
