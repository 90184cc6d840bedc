import re
from pathlib import Path
from typing import Any, get_args

import boto3
import pytest

from config.image_kind import IMAGE_KINDS, NO_IMAGE, ImageKindName
from config.instance_type import InstanceType
from tests.unit.config.environment_files import OPEN_DIGEST, TEST_DIGEST, refusal

CPU, CUDA, ARM = 'kind = "cpu-x86_64"', 'kind = "cuda-x86_64"', 'kind = "cpu-arm64"'
X86_REPOSITORY, ARM_REPOSITORY = 'repository = "llama-cpp"', 'repository = "llama-cpp-arm64"'
FILLED = (OPEN_DIGEST, TEST_DIGEST)
AMI = 'inference_ami_version = "al2023-ami-sagemaker-inference-gpu-4-1"'
LAST_TWO = (
    '[[decision.instance_pools]]\ninstance_type = "ml.g5.2xlarge"\npriority = 3\n\n'
    '[[decision.instance_pools]]\ninstance_type = "ml.g4dn.2xlarge"\npriority = 4\n'
)
CPU_TYPE = 'instance_type = "ml.c6i.8xlarge"'
CPU_POOLS = (
    "variant_instance_provision_timeout_seconds = 900\n"
    'instance_pools = [{instance_type = "ml.m5.8xlarge", priority = 1}, '
    '{instance_type = "ml.m5d.8xlarge", priority = 2}]'
)


def _types_of_the_api() -> list[InstanceType]:
    client: Any = boto3.client(
        "sagemaker", region_name="us-east-1", aws_access_key_id="none", aws_secret_access_key="none"
    )
    names = client.meta.service_model.shape_for("ProductionVariantInstanceType").enum
    return [InstanceType(name) for name in names if not re.match(r"ml\.(inf|trn|dl)", name)]


@pytest.mark.rule(
    "Every instance family that SageMaker hosts has one image kind, or the reason why it has none",
    tool="botocore's API model",
    emulated="",
)
@pytest.mark.parametrize("family", sorted({member.family for member in _types_of_the_api()}))
def test_family_has_exactly_one_image_kind_or_the_reason_why_not(family: str) -> None:
    """The table is complete: a family the API gains fails here until somebody has looked at it."""
    kinds = [name for name, kind in IMAGE_KINDS.items() if family in kind.families]

    assert len(kinds) == (0 if family in NO_IMAGE else 1)


def test_table_names_no_family_that_the_api_does_not_have() -> None:
    """A misspelt family would allow or refuse nothing."""
    families = set(NO_IMAGE).union(*(kind.families for kind in IMAGE_KINDS.values()))

    assert families == {member.family for member in _types_of_the_api()}


@pytest.mark.parametrize("name", get_args(ImageKindName))
def test_families_of_a_kind_have_its_processor_and_a_host_image_if_they_have_a_gpu(name: ImageKindName) -> None:
    """The row agrees with what the names of its machines say, and with the name of the kind."""
    kind = IMAGE_KINDS[name]
    members = [member for member in _types_of_the_api() if member.family in kind.families]

    assert {(member.accelerator, member.architecture) for member in members} == {(kind.accelerator, kind.architecture)}
    assert name == f"{kind.accelerator}-{kind.architecture}"
    assert bool(kind.cuda_major) == bool(kind.ami_versions) == (kind.accelerator == "cuda")


@pytest.mark.rule(
    "An image that does not run on a machine is refused at synth, by image, member and key",
    tool="pydantic",
    emulated="",
)
@pytest.mark.parametrize(
    ("environment", "changes", "key", "said"),
    [
        pytest.param(
            "prod",
            [(CUDA, CPU)],
            "decision.instance_pools",
            ("ml.g6e.xlarge", "does not suit images.decision_base.kind, cpu-x86_64: the image is x86_64 cpu"),
            id="GPU with the CPU image",
        ),
        pytest.param(
            "dev",
            [(CPU, CUDA)],
            "chat.instance_type",
            (
                "ml.c6i.2xlarge",
                "does not suit images.chat.kind, cuda-x86_64: the image is x86_64 cuda, ml.c6i.2xlarge is x86_64 cpu",
            ),
            id="CPU with the GPU image",
        ),
        pytest.param(
            "graviton",
            [FILLED, ("ml.c7g.8xlarge", "ml.c6i.8xlarge")],
            "decision.instance_type",
            ("ml.c6i.8xlarge", "the image is arm64 cpu, ml.c6i.8xlarge is x86_64 cpu"),
            id="x86 with the arm64 image",
        ),
        pytest.param(
            "dev",
            [("ml.c6i.8xlarge", "ml.c7g.8xlarge")],
            "decision.instance_type",
            ("ml.c7g.8xlarge", "the image is x86_64 cpu, ml.c7g.8xlarge is arm64 cpu"),
            id="Graviton with the x86 image",
        ),
        pytest.param(
            "graviton",
            [FILLED, ("ml.c7g.8xlarge", "ml.c6g.8xlarge")],
            "decision.instance_type",
            ("ml.c6g.8xlarge", "it is Graviton2, and the image for Graviton is built for Neoverse V1"),
            id="Graviton2 with the arm64 image",
        ),
        pytest.param(
            "graviton",
            [FILLED, ("ml.c8g.2xlarge", "ml.r6gd.2xlarge")],
            "chat.instance_type",
            ("ml.r6gd.2xlarge", "Graviton2"),
            id="another Graviton2 family",
        ),
        pytest.param(
            "graviton",
            [FILLED, ("ml.c7g.8xlarge", "ml.p6e-gb200.36xlarge"), ("gpu_layers = 0", "gpu_layers = -1")],
            "decision.instance_type",
            ("ml.p6e-gb200.36xlarge", "it has a GPU on arm64, and the image for arm64 has no CUDA"),
            id="a GPU on arm64",
        ),
        pytest.param(
            "prod",
            [("ml.g6.2xlarge", "ml.p3.2xlarge"), ("ml.g6e.xlarge", "ml.p2.xlarge"), (LAST_TWO, "")],
            "decision.instance_pools",
            ("ml.p2.xlarge", "CUDA 13, which the image is built on, dropped its GPU"),
            id="a GPU older than Turing",
        ),
        pytest.param(
            "dev",
            [("ml.c6i.8xlarge", "ml.c9i.8xlarge")],
            "decision.instance_type",
            ("ml.c9i.8xlarge", "is not in the table of image kinds"),
            id="a family nobody looked at",
        ),
        pytest.param(
            "dev",
            [(CPU_TYPE, f"{CPU_TYPE}\n{AMI}")],
            "decision.inference_ami_version",
            ("ml.c6i.8xlarge", "selects a GPU driver and must be absent"),
            id="host image on CPU",
        ),
        pytest.param(
            "graviton",
            [FILLED, ('instance_type = "ml.c8g.2xlarge"', f'instance_type = "ml.c8g.2xlarge"\n{AMI}')],
            "chat.inference_ami_version",
            ("ml.c8g.2xlarge", "selects a GPU driver and must be absent"),
            id="host image on Graviton",
        ),
        pytest.param(
            "prod",
            [(AMI, "")],
            "decision.inference_ami_version",
            (
                "ml.g6e.xlarge",
                "must be al2023-ami-sagemaker-inference-gpu-4-1 on ml.g6e.xlarge: the image needs its CUDA 13 driver",
            ),
            id="GPU without a host image",
        ),
        pytest.param(
            "prod",
            [("al2023-ami-sagemaker-inference-gpu-4-1", "al2-ami-sagemaker-inference-gpu-3-1")],
            "decision.inference_ami_version",
            ("ml.g6e.xlarge", "CUDA 13 driver"),
            id="GPU with the host image of another driver",
        ),
        pytest.param(
            "dev",
            [(CPU_TYPE, CPU_POOLS)],
            "decision",
            ("ml.m5d.8xlarge", "ml.m5d.8xlarge has local NVMe disks, but ml.m5.8xlarge has a volume that takes a key"),
            id="volume key for half of the pool",
        ),
    ],
)
def test_image_and_machine_that_do_not_fit_are_refused(
    tmp_path: Path, environment: str, changes: list[tuple[str, str]], key: str, said: tuple[str, str]
) -> None:
    """The sentence names the key to change, the machine, and why the image does not run there."""
    sentence = refusal(tmp_path, environment, *changes)

    assert f"{environment}.toml: {key}" in sentence
    assert all(part in sentence for part in said)


@pytest.mark.parametrize(
    ("environment", "changes", "key", "rule"),
    [
        (
            "dev",
            [(X86_REPOSITORY, ARM_REPOSITORY)],
            "images.chat.repository",
            "llama-cpp-arm64 holds no images of kind cpu-x86_64: it must end in llama-cpp",
        ),
        (
            "graviton",
            [FILLED, (ARM_REPOSITORY, X86_REPOSITORY)],
            "images.decision_base.repository",
            "llama-cpp holds no images of kind cpu-arm64: it must end in llama-cpp-arm64",
        ),
        (
            "dev",
            [(X86_REPOSITORY, 'repository = "public.ecr.aws/deep-learning-containers/llama-cpp"')],
            "images.chat.repository",
            "in a private ECR registry, without registry, tag or digest (mirror public images first)",
        ),
        ("dev", [(CPU, 'kind = "cuda-arm64"')], "images.chat.kind", "'cpu-x86_64', 'cuda-x86_64' or 'cpu-arm64'"),
    ],
)
def test_repository_that_cannot_hold_the_image_is_refused(
    tmp_path: Path, environment: str, changes: list[tuple[str, str]], key: str, rule: str
) -> None:
    """Each kind has its repository, in AWS's registry or in a mirror of one's own."""
    sentence = refusal(tmp_path, environment, *changes)

    assert f"{environment}.toml: {key}: " in sentence
    assert rule in sentence
