from pathlib import Path

import pytest

from config.loader import load
from tests.unit.config.environment_files import changed, refusal

G4DN = '[[decision.instance_pools]]\ninstance_type = "ml.g4dn.2xlarge"\npriority = 4\n'
CPU_TYPE = 'instance_type = "ml.c6i.8xlarge"'


def _pool(instance_type: str, priority: int) -> str:
    return f'[[decision.instance_pools]]\ninstance_type = "{instance_type}"\npriority = {priority}\n'


def _two_pools(first: str, second: str) -> list[tuple[str, str]]:
    """Changes that leave the prod file two pools of the given types."""
    changes = [("ml.g6e.xlarge", first), ("ml.g6.2xlarge", second), (G4DN, "")]
    return [*changes, (_pool("ml.g5.2xlarge", 3), "")]


def test_pools_of_one_kind_are_taken_in_order_of_priority(tmp_path: Path) -> None:
    """The lowest number comes first, wherever it stands in the file."""
    swapped = changed(tmp_path, "prod", ("priority = 1", "priority = 5"))

    names = [member.name for member in load("prod", swapped).decision.instance_types]

    assert names == ["ml.g6.2xlarge", "ml.g5.2xlarge", "ml.g4dn.2xlarge", "ml.g6e.xlarge"]


@pytest.mark.rule("A GPU pool that could not start is refused at synth, by its member", tool="pydantic", emulated="")
@pytest.mark.parametrize(
    ("environment", "changes", "key", "rule"),
    [
        (
            "prod",
            [('inference_ami_version = "al2023-ami-sagemaker-inference-gpu-4-1"\n', "")],
            "inference_ami_version",
            "must be al2023-ami-sagemaker-inference-gpu-4-1 on ml.g6e.xlarge",
        ),
        (
            "prod",
            [("al2023-ami-sagemaker-inference-gpu-4-1", "al2-ami-sagemaker-inference-gpu-3-1")],
            "inference_ami_version",
            "CUDA 13 driver",
        ),
        (
            "prod",
            [("[decision]", '[decision]\ninstance_type = "ml.g5.xlarge"')],
            "instance_type",
            "either instance_type or instance_pools",
        ),
        ("dev", [(CPU_TYPE, "")], "instance_type", "either instance_type or instance_pools"),
        (
            "prod",
            [(G4DN, G4DN + _pool("ml.g5.4xlarge", 5) + _pool("ml.g5.8xlarge", 5))],
            "instance_pools",
            "at most 5 pools, not 6",
        ),
        ("prod", [("priority = 1", "priority = 0")], "instance_pools.0.priority", "greater than or equal to 1"),
        (
            "prod",
            [("priority = 1", "priority = 2")],
            "instance_pools",
            "each pool needs its own priority; 2 is there twice",
        ),
        (
            "prod",
            [("ml.g6e.xlarge", "ml.g6.2xlarge")],
            "instance_pools",
            "its own instance_type; ml.g6.2xlarge is there twice",
        ),
        (
            "prod",
            _two_pools("ml.g5.xlarge", "ml.c7g.xlarge"),
            "instance_pools",
            "ml.c7g.xlarge computes on arm64 cpu, but ml.g5.xlarge computes on x86_64 cuda",
        ),
        (
            "prod",
            _two_pools("ml.g5.xlarge", "ml.c6i.xlarge"),
            "instance_pools",
            "ml.c6i.xlarge computes on x86_64 cpu, but ml.g5.xlarge computes on x86_64 cuda",
        ),
        (
            "prod",
            _two_pools("ml.g5.xlarge", "ml.inf2.xlarge"),
            "instance_pools.1.instance_type",
            "must be a CPU or NVIDIA GPU instance type",
        ),
        (
            "dev",
            [(CPU_TYPE, CPU_TYPE + '\ninference_ami_version = "al2023-ami-sagemaker-inference-gpu-4-1"')],
            "inference_ami_version",
            "must be absent: ml.c6i.8xlarge has no GPU",
        ),
        ("prod", [("= 1200", "= 299")], "variant_instance_provision_timeout_seconds", "greater than or equal to 300"),
        (
            "prod",
            [("variant_instance_provision_timeout_seconds = 1200\n", "")],
            "variant_instance_provision_timeout_seconds",
            "required with instance_pools",
        ),
        (
            "dev",
            [(CPU_TYPE, CPU_TYPE + "\nvariant_instance_provision_timeout_seconds = 1200")],
            "variant_instance_provision_timeout_seconds",
            "only there",
        ),
        (
            "dev",
            [("startup_health_check_timeout_seconds = 900", "startup_health_check_timeout_seconds = 30")],
            "startup_health_check_timeout_seconds",
            "greater than or equal to 60",
        ),
        (
            "dev",
            [("model_data_download_timeout_seconds = 900", "model_data_download_timeout_seconds = 7200")],
            "model_data_download_timeout_seconds",
            "less than or equal to 3600",
        ),
        (
            "dev",
            [("deadline_seconds = 50", "deadline_seconds = 60")],
            "limits.deadline_seconds",
            "less than or equal to 55",
        ),
        ("dev", [("min_margin = 0.1", "min_margin = 1.5")], "flags.min_margin", "less than or equal to 1"),
        ("dev", [("branches = 1", "branches = 17")], "branches", "less than or equal to 16"),
    ],
)
def test_machines_that_could_not_start_are_refused(
    tmp_path: Path, environment: str, changes: list[tuple[str, str]], key: str, rule: str
) -> None:
    """What AWS would show as an endpoint that stays in Creating is an error with key and rule before that."""
    sentence = refusal(tmp_path, environment, *changes)

    assert f"{environment}.toml: decision.{key}: " in sentence
    assert rule in sentence
