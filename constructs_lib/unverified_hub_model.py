from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import IConstruct

TAG = "semif:model"


@dataclass(frozen=True)
class UnverifiedHubModel:
    """A model that its container downloads from the Hugging Face hub at each start.

    Unpinned by nature: every instance serves what lies in the repository when it starts, and nobody compares it with
    anything. Its container has network access.

    Attributes:
        repository: owner/name on the hub.
        file: The GGUF in it.
    """

    repository: str
    file: str
    isolated: ClassVar[bool] = False
    model_data: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    @property
    def sentence(self) -> str:
        """What is shown wherever the identity of a model is."""
        return f"UNVERIFIED: {self.repository}/{self.file} of the Hugging Face hub, as it was at each start"

    def grant_read(self, role: iam.Role) -> None:
        """Allow nothing: the hub asks for no permission of AWS."""

    def mark(self, resource: IConstruct) -> None:
        """Tag what serves it."""
        cdk.Tags.of(resource).add(TAG, "unverified")
