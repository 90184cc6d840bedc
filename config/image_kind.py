"""The one table of image kinds: which image of the AWS deep learning containers runs on which machines.

Reviewed against the containers' build files and the list of instance types in SageMaker's API; a test holds every
family of that list to exactly one kind, or to the reason why it has none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from config.instance_type import Accelerator, Architecture, InstanceType

ImageKindName = Literal["cpu-x86_64", "cuda-x86_64", "cpu-arm64"]


@dataclass(frozen=True)
class ImageKind:
    """One kind of image.

    Attributes:
        repository: Its repository's name, the last part of a mirror's.
        accelerator: What it computes with.
        architecture: The processors it is built for.
        cuda_major: The CUDA it is built on, or None.
        ami_versions: Host images whose driver suits it; without a GPU there are none, and none may be set.
        families: Instance families it runs on.
    """

    repository: str
    accelerator: Accelerator
    architecture: Architecture
    cuda_major: int | None
    ami_versions: tuple[str, ...]
    families: frozenset[str]

    @property
    def platform(self) -> str:
        """The platform as registries and docker name it, such as linux/amd64."""
        return {"x86_64": "linux/amd64", "arm64": "linux/arm64"}[self.architecture]

    def refusal(self, member: InstanceType) -> str | None:
        """Say why the image does not run on an instance type, or None where it does."""
        if member.family in NO_IMAGE:
            return f"no image runs on {member.name}: {NO_IMAGE[member.family]}"
        if member.family in self.families:
            return None
        has, wants = f"{member.architecture} {member.accelerator}", f"{self.architecture} {self.accelerator}"
        if has != wants:
            return f"the image is {wants}, {member.name} is {has}"
        return f"the family of {member.name} is not in the table of image kinds"


IMAGE_KINDS: Final[Mapping[ImageKindName, ImageKind]] = {
    # One CPU backend for each microarchitecture, chosen when it is loaded: every x86-64 family.
    "cpu-x86_64": ImageKind(
        repository="llama-cpp",
        accelerator="cpu",
        architecture="x86_64",
        cuda_major=None,
        ami_versions=(),
        families=frozenset(
            ("c4", "c5", "c5d", "c6i", "c6in", "c7i", "m4", "m5", "m5d", "m6i", "m7i", "r5", "r5d", "r6i", "r7i", "t2")
        ),
    ),
    # Built on CUDA 13.0, whose driver of the 580 series only this host image (or a later one) has: with an older one a
    # container stays in Creating without a line of log. CUDA 13 has code for Turing (g4dn) and newer.
    "cuda-x86_64": ImageKind(
        repository="llama-cpp",
        accelerator="cuda",
        architecture="x86_64",
        cuda_major=13,
        ami_versions=("al2023-ami-sagemaker-inference-gpu-4-1",),
        families=frozenset(
            ("g4dn", "g5", "g6", "g6e", "g7", "g7e", "p4d", "p4de", "p5", "p5e", "p5en", "p6-b200", "p6-b300")
        ),
    ),
    # Built with -mcpu=neoverse-v1: Graviton3 and newer. It has no GPU backend.
    "cpu-arm64": ImageKind(
        repository="llama-cpp-arm64",
        accelerator="cpu",
        architecture="arm64",
        cuda_major=None,
        ami_versions=(),
        families=frozenset(("c7g", "c8g", "m8g", "r7gd", "r8g")),
    ),
}
_GRAVITON2 = "it is Graviton2, and the image for Graviton is built for Neoverse V1, which is Graviton3 or newer"
_BEFORE_TURING = "CUDA 13, which the image is built on, dropped its GPU"
# Families that SageMaker hosts and no image runs on.
NO_IMAGE: Final[Mapping[str, str]] = {
    **dict.fromkeys(("c6g", "c6gd", "c6gn", "m6g", "m6gd", "r6g", "r6gd"), _GRAVITON2),
    **dict.fromkeys(("p2", "p3"), _BEFORE_TURING),
    "p6e-gb200": "it has a GPU on arm64, and the image for arm64 has no CUDA",
}
