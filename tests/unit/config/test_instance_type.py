import re
from pathlib import Path
from typing import Any, get_args

import boto3
import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.hosting import GpuAmiVersion
from config.instance_type import InstanceType
from config.loader import environment_names, load
from tests.unit.config.environment_files import completed


def _enum(shape: str) -> list[str]:
    client: Any = boto3.client(
        "sagemaker", region_name="us-east-1", aws_access_key_id="none", aws_secret_access_key="none"
    )
    return list(client.meta.service_model.shape_for(shape).enum)


@pytest.mark.parametrize(
    ("name", "accelerator", "architecture", "nvme", "vcpus"),
    [
        ("ml.c6i.8xlarge", "cpu", "x86_64", False, 32),
        ("ml.m5d.large", "cpu", "x86_64", True, 2),
        ("ml.c7g.xlarge", "cpu", "arm64", False, 4),
        ("ml.r6gd.2xlarge", "cpu", "arm64", True, 8),
        ("ml.g4dn.2xlarge", "cuda", "x86_64", True, 8),
        ("ml.g5.2xlarge", "cuda", "x86_64", True, 8),
        ("ml.g6e.xlarge", "cuda", "x86_64", True, 4),
        ("ml.p3.2xlarge", "cuda", "x86_64", False, 8),
        ("ml.p4de.24xlarge", "cuda", "x86_64", True, 96),
        ("ml.p6-b200.48xlarge", "cuda", "x86_64", True, 192),
        ("ml.p6e-gb200.36xlarge", "cuda", "arm64", True, 144),
    ],
)
def test_instance_type_name_says_what_the_machine_is(
    name: str, accelerator: str, architecture: str, *, nvme: bool, vcpus: int
) -> None:
    """Accelerator, architecture, local disk and virtual CPUs follow from the name."""
    machine = InstanceType(name)

    assert (machine.accelerator, machine.architecture) == (accelerator, architecture)
    assert (machine.has_local_nvme, machine.vcpus) == (nvme, vcpus)


@pytest.mark.rule(
    "Every CPU and NVIDIA type that SageMaker hosts is known, no other", tool="botocore's API model", emulated=""
)
def test_every_type_of_the_api_is_either_known_or_of_another_accelerator() -> None:
    """Only Inferentia, Trainium and Gaudi types are refused, among all that the API lists for hosting."""
    refused = []
    for name in _enum("ProductionVariantInstanceType"):
        try:
            InstanceType(name)
        except ValueError:
            refused.append(name.split(".")[1])

    assert {re.sub(r"\d.*", "", family) for family in refused} == {"inf", "trn", "dl"}


def test_types_of_the_environments_are_types_of_the_api(tmp_path: Path) -> None:
    """No environment of the repository names a machine that SageMaker does not have."""
    folder = completed(tmp_path)
    environments = [load(name, folder) for name in environment_names(folder)]

    hostings = [hosting for each in environments for hosting in (each.chat, each.decision)]
    named = {machine.name for hosting in hostings for machine in hosting.instance_types}
    assert named <= set(_enum("ProductionVariantInstanceType"))


@pytest.mark.parametrize("name", ["ml.c6i.٨xlarge", "ml.c٦i.xlarge", "ml.c6i.0xlarge", "ml.c6i.metal", "c6i.xlarge"])
def test_name_that_only_resembles_an_instance_type_is_refused(name: str) -> None:
    """Digits are those of ASCII, and a machine has a size."""
    with pytest.raises(ValueError, match="must be a CPU or NVIDIA GPU instance type"):
        InstanceType(name)


def test_ami_versions_are_those_of_the_api_with_an_nvidia_driver() -> None:
    """The setting's choices are the API's, less the one for Neuron."""
    published = _enum("ProductionVariantInferenceAmiVersion")

    assert {version for version in published if "gpu" in version} == set(get_args(GpuAmiVersion))


@given(st.text(max_size=30))
def test_arbitrary_name_is_known_or_refused(name: str) -> None:
    """No text is half an instance type: one that is accepted has all its properties."""
    try:
        machine = InstanceType(name)
    except ValueError:
        return
    assert machine.vcpus > 0
    assert machine.accelerator in ("cpu", "cuda")
