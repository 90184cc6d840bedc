"""A pool of GPU types: what is right becomes a template, and what SageMaker would leave in Creating is refused."""

from pathlib import Path

import pytest

from tests.template.synthesis import read, synthesize
from tests.unit.config.environment_files import changed, refusal

AMI = 'inference_ami_version = "al2023-ami-sagemaker-inference-gpu-4-1"'
POOLS = """[[decision.instance_pools]]
instance_type = "ml.g6e.xlarge"
priority = 1

[[decision.instance_pools]]
instance_type = "ml.g6.2xlarge"
priority = 2

[[decision.instance_pools]]
instance_type = "ml.g5.2xlarge"
priority = 3

[[decision.instance_pools]]
instance_type = "ml.g4dn.2xlarge"
priority = 4
"""


def _pools(*members: tuple[str, int]) -> tuple[str, str]:
    """The change that gives prod other pools."""
    tables = (
        f'[[decision.instance_pools]]\ninstance_type = "{name}"\npriority = {priority}\n' for name, priority in members
    )
    return POOLS, "\n".join(tables)


TWO = _pools(("ml.g6.xlarge", 1), ("ml.g5.xlarge", 2))
SIX = _pools(*((f"ml.g5.{size}xlarge", priority) for priority, size in enumerate((2, 4, 8, 12, 16, 24), start=1)))


def test_gpu_pool_of_two_with_its_host_image_replaces_the_type(tmp_path: Path) -> None:
    """Case 1: pools in their order, the host image, and no instance type."""
    folder = changed(tmp_path, "prod", TWO)

    _, config = read(synthesize("prod", tmp_path / "out", folder), "prod", "decision").only(
        "AWS::SageMaker::EndpointConfig"
    )

    (variant,) = config["ProductionVariants"]
    assert variant["InstancePools"] == [
        {"InstanceType": "ml.g6.xlarge", "Priority": 1},
        {"InstanceType": "ml.g5.xlarge", "Priority": 2},
    ]
    assert "InstanceType" not in variant
    assert variant["InferenceAmiVersion"] == "al2023-ami-sagemaker-inference-gpu-4-1"


@pytest.mark.parametrize(
    ("environment", "changes", "key", "rule"),
    [
        pytest.param(
            "prod", [TWO, (AMI, "")], "decision.inference_ami_version", "must be al2023", id="case 2: no host image"
        ),
        pytest.param(
            "prod",
            [TWO, (AMI, f'{AMI}\ninstance_type = "ml.g5.xlarge"')],
            "decision.instance_type",
            "give either instance_type or instance_pools",
            id="case 3: pools and a type",
        ),
        pytest.param(
            "prod", [SIX], "decision.instance_pools", "less than or equal to 5", id="case 4: six pools, six priorities"
        ),
        pytest.param(
            "prod",
            [_pools(*((f"ml.g5.{size}xlarge", min(size, 5)) for size in (2, 4, 8, 12, 16, 24)))],
            "decision.instance_pools",
            "at most 5 pools, not 6",
            id="case 4: six pools",
        ),
        pytest.param(
            "prod",
            [_pools(("ml.g6.xlarge", 0), ("ml.g5.xlarge", 2))],
            "decision.instance_pools.0.priority",
            "greater than or equal to 1",
            id="case 4: priority 0",
        ),
        pytest.param(
            "prod",
            [_pools(("ml.g6.xlarge", 2), ("ml.g5.xlarge", 2))],
            "decision.instance_pools",
            "each pool needs its own priority; 2 is there twice",
            id="case 4: one priority twice",
        ),
        pytest.param(
            "prod",
            [_pools(("ml.g5.xlarge", 1), ("ml.c7g.xlarge", 2))],
            "decision.instance_pools",
            "ml.c7g.xlarge computes on arm64 cpu",
            id="case 5: a Graviton type in the pool",
        ),
        pytest.param(
            "dev",
            [('instance_type = "ml.c6i.8xlarge"', f'instance_type = "ml.c6i.8xlarge"\n{AMI}')],
            "decision.inference_ami_version",
            "must be absent: ml.c6i.8xlarge has no GPU",
            id="case 6: a host image on CPU",
        ),
        pytest.param(
            "prod",
            [TWO, ("timeout_seconds = 1200", "timeout_seconds = 299")],
            "decision.variant_instance_provision_timeout_seconds",
            "greater than or equal to 300",
            id="case 7: too short a provision timeout",
        ),
    ],
)
def test_gpu_pool_that_could_not_start_is_refused(
    tmp_path: Path, environment: str, changes: list[tuple[str, str]], key: str, rule: str
) -> None:
    """Cases 2 to 7: each is a sentence with the key to change, instead of an endpoint that shows nothing."""
    sentence = refusal(tmp_path, environment, *changes)

    assert f"{environment}.toml: {key}" in sentence
    assert rule in sentence
