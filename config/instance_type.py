"""What the name of a SageMaker instance type says about the machine."""

import re
from dataclasses import dataclass
from typing import Literal

Accelerator = Literal["cpu", "cuda"]
_NAME = re.compile(r"ml\.(?P<series>[a-z]+)(?P<generation>[0-9]+)(?P<features>[a-z0-9-]*)\.(?P<size>[0-9a-z]+)")
_ACCELERATORS: dict[str, Accelerator] = {
    **dict.fromkeys(("c", "m", "r", "t"), "cpu"),
    **dict.fromkeys(("g", "p"), "cuda"),
}
# K80 and V100 are older than Turing, the first generation that CUDA 13 still knows.
_BEFORE_TURING = ("p2", "p3")


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
    def accelerator(self) -> Accelerator:
        """What computes: the processor itself, or an NVIDIA GPU."""
        return _ACCELERATORS[self._parts["series"]]

    @property
    def architecture(self) -> Literal["x86_64", "arm64"]:
        """The processor's instruction set; Graviton carries a g among the features (c7g, m8gd, g5g, p6e-gb200)."""
        return "arm64" if "g" in self._parts["features"] else "x86_64"

    @property
    def has_local_nvme(self) -> bool:
        """Whether the disk is local NVMe, which SageMaker refuses to encrypt with a volume key."""
        return self.runs_cuda_13 or "d" in self._parts["features"]

    @property
    def runs_cuda_13(self) -> bool:
        """Whether its GPU is one that CUDA 13 has code for; all of these machines have local NVMe disks."""
        family = self._parts["series"] + self._parts["generation"]
        return self.accelerator == "cuda" and family not in _BEFORE_TURING

    @property
    def vcpus(self) -> int:
        """Virtual CPUs, 0 for an unknown size: EC2 sizes name them in units of four."""
        size = self._parts.get("size", "")
        if match := re.fullmatch(r"([0-9]+)xlarge", size):
            return 4 * int(match[1])
        return {"medium": 2, "large": 2, "xlarge": 4}.get(size, 0)
