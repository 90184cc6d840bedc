"""What the name of a SageMaker instance type says about the machine."""

import re
from dataclasses import dataclass
from typing import Literal

Accelerator = Literal["cpu", "cuda"]
Architecture = Literal["x86_64", "arm64"]
_NAME = re.compile(r"ml\.(?P<series>[a-z]+)(?P<generation>[0-9]+)(?P<features>[a-z0-9-]*)\.(?P<size>[0-9a-z]+)")
_ACCELERATORS: dict[str, Accelerator] = {
    **dict.fromkeys(("c", "m", "r", "t"), "cpu"),
    **dict.fromkeys(("g", "p"), "cuda"),
}
# The machines with a GPU whose disk is a network volume; every other one has local NVMe disks.
_GPU_WITHOUT_LOCAL_NVME = ("p2", "p3", "g5g")


@dataclass(frozen=True)
class InstanceType:
    """An instance type by name, for example ml.c6i.2xlarge.

    Raises:
        ValueError: The name is not that of a CPU or NVIDIA GPU type with a known size.
    """

    name: str

    def __post_init__(self) -> None:
        match = _NAME.fullmatch(self.name)
        if not match or match["series"] not in _ACCELERATORS or not self.vcpus:
            raise ValueError(f"must be a CPU or NVIDIA GPU instance type such as ml.c6i.2xlarge, not {self.name!r}")

    @property
    def _parts(self) -> dict[str, str]:
        match = _NAME.fullmatch(self.name)
        return match.groupdict() if match else {}

    @property
    def family(self) -> str:
        """What its sizes have in common, such as c6i or p6-b200."""
        parts = self._parts
        return parts["series"] + parts["generation"] + parts["features"]

    @property
    def accelerator(self) -> Accelerator:
        """What computes: the processor itself, or an NVIDIA GPU."""
        return _ACCELERATORS[self._parts["series"]]

    @property
    def architecture(self) -> Architecture:
        """The processor's instruction set; Graviton carries a g among the features (c7g, m8gd, g5g, p6e-gb200)."""
        return "arm64" if "g" in self._parts["features"] else "x86_64"

    @property
    def has_local_nvme(self) -> bool:
        """Whether the disk is local NVMe, which SageMaker refuses to encrypt with a volume key."""
        if self.accelerator == "cuda":
            return self.family not in _GPU_WITHOUT_LOCAL_NVME
        return "d" in self._parts["features"]

    @property
    def vcpus(self) -> int:
        """Virtual CPUs, 0 for an unknown size: EC2 sizes name them in units of four."""
        size = self._parts.get("size", "")
        if match := re.fullmatch(r"([0-9]+)xlarge", size):
            return 4 * int(match[1])
        return {"medium": 2, "large": 2, "xlarge": 4}.get(size, 0)
