import re
from typing import Any

import pytest

from config.loader import load
from constructs_lib.production_variant import ProductionVariant
from tests.template.synthesis import ENVIRONMENTS, Template, flat, settings_of, template

ENDPOINTS = ("chat", "decision")


@pytest.fixture(params=[(environment, stack) for environment in ENVIRONMENTS for stack in ENDPOINTS], ids="-".join)
def endpoint(request: pytest.FixtureRequest) -> tuple[str, str, Template]:
    """Environment, stack and template of each endpoint."""
    environment, stack = request.param
    return environment, stack, template(environment, stack)


def _variant(template: Template) -> dict[str, Any]:
    _, config = template.only("AWS::SageMaker::EndpointConfig")
    (variant,) = config["ProductionVariants"]
    return dict(variant)


def test_model_has_no_network_and_takes_only_verified_things(endpoint: tuple[str, str, Template]) -> None:
    """Image and model data are what the custom resources answered, never text of ours."""
    _, _, content = endpoint
    _, model = content.only("AWS::SageMaker::Model")
    image, _ = content.only("Custom::PinnedImage")
    archive, _ = content.only("Custom::VerifiedModel")

    assert model["EnableNetworkIsolation"] is True
    assert model["PrimaryContainer"]["Image"] == {"Fn::GetAtt": [image, "ImageUri"]}
    assert model["PrimaryContainer"]["ModelDataUrl"] == {"Fn::GetAtt": [archive, "ModelDataUrl"]}


def test_verification_is_told_every_pin(endpoint: tuple[str, str, Template]) -> None:
    """Key, file, bytes and both digests are properties, so that changing one runs the verification again."""
    environment, _, content = endpoint
    pin = settings_of(environment).model
    _, properties = content.only("Custom::VerifiedModel")

    told = {name: flat(value) for name, value in properties.items() if name not in ("ServiceToken", "ServiceTimeout")}
    assert told.pop("HandlerVersion")
    assert told == {
        "Bucket": f"<semif-{environment}-artifact-BucketName>",
        "Key": pin.object_key,
        "Packaging": pin.packaging,
        "GgufFile": pin.file,
        "GgufBytes": str(pin.bytes),
        "GgufSha256": pin.sha256,
        "FurtherParts": pin.further_parts,
        "ManifestSha256": pin.manifest_sha256,
    }


def test_endpoint_comes_after_its_log_group(endpoint: tuple[str, str, Template]) -> None:
    """SageMaker would make the group itself, without key and retention, and this stack could not create it any more."""
    _, _, content = endpoint
    log, _ = content.named("InferenceEndpointLog", "AWS::Logs::LogGroup")
    ((_, resource),) = content.of_type("AWS::SageMaker::Endpoint").items()

    assert log in resource["DependsOn"]


def test_endpoint_name_is_the_only_physical_name(endpoint: tuple[str, str, Template]) -> None:
    """Besides the endpoint itself only its log group is named, because SageMaker dictates that name."""
    environment, stack, content = endpoint
    named = {
        (each["Type"], key): value
        for each in content.resources.values()
        for key, value in each.get("Properties", {}).items()
        if re.fullmatch(r"(Model|EndpointConfig|Endpoint|Role|Function|LogGroup|Bucket|Project|StateMachine)Name", key)
        and not each["Type"].startswith("Custom::")
        and isinstance(value, str)
    }
    name = f"semif-{environment}-{stack}"

    assert named == {
        ("AWS::SageMaker::Endpoint", "EndpointName"): name,
        ("AWS::Logs::LogGroup", "LogGroupName"): f"/aws/sagemaker/Endpoints/{name}",
    }


def test_chat_image_is_the_published_one_by_digest() -> None:
    """The registry is the region's own, found by the region at deployment."""
    _, properties = template("prod", "chat").only("Custom::PinnedImage")

    assert flat(properties["RepositoryUri"]) == (
        "<DlcRepositoryAccountMap>.dkr.ecr.<AWS::Region>.<AWS::URLSuffix>/llama-cpp"
    )
    assert properties["Reference"] == load("prod").images.chat.digest


def test_cpu_variant_has_a_type_and_no_host_image() -> None:
    """A CPU endpoint names one type; a host image would select a GPU driver."""
    for environment, stack in (("dev", "chat"), ("dev", "decision"), ("prod", "chat")):
        variant = _variant(template(environment, stack))

        assert "InstanceType" in variant
        assert not {"InstancePools", "InferenceAmiVersion"} & set(variant)


def test_gpu_pool_replaces_the_type_and_brings_its_host_image() -> None:
    """The pools are the published ones in their order, with the driver that CUDA 13 needs."""
    variant = _variant(template("prod", "decision"))

    assert "InstanceType" not in variant
    assert [(pool["Priority"], pool["InstanceType"]) for pool in variant["InstancePools"]] == [
        (1, "ml.g6e.xlarge"),
        (2, "ml.g6.2xlarge"),
        (3, "ml.g5.2xlarge"),
        (4, "ml.g4dn.2xlarge"),
    ]
    assert variant["InferenceAmiVersion"] == "al2023-ami-sagemaker-inference-gpu-4-1"
    assert variant["VariantInstanceProvisionTimeoutInSeconds"] == 1200


def test_timeouts_stand_on_the_variant(endpoint: tuple[str, str, Template]) -> None:
    """SageMaker reads them there and nowhere else."""
    environment, stack, content = endpoint
    hosting = getattr(settings_of(environment), stack)

    variant = _variant(content)

    assert variant["ContainerStartupHealthCheckTimeoutInSeconds"] == hosting.startup_health_check_timeout_seconds
    assert variant["ModelDataDownloadTimeoutInSeconds"] == hosting.model_data_download_timeout_seconds


def test_variant_has_as_many_instances_as_the_settings_say() -> None:
    """The count is a setting; every environment of the repository has one instance."""
    hosting = load("dev").chat.model_copy(update={"initial_instance_count": 3})

    assert ProductionVariant(hosting).of_model("model").initial_instance_count == 3


@pytest.mark.parametrize(
    ("environment", "stack", "has_key"),
    [("dev", "chat", True), ("dev", "decision", True), ("prod", "chat", True), ("prod", "decision", False)],
)
def test_volume_key_is_there_unless_disks_are_local_nvme(environment: str, stack: str, *, has_key: bool) -> None:
    """SageMaker refuses a volume key on local NVMe disks, which the hardware encrypts."""
    _, config = template(environment, stack).only("AWS::SageMaker::EndpointConfig")

    assert ("KmsKeyId" in config) == has_key


def test_operators_read_what_runs_in_the_outputs(endpoint: tuple[str, str, Template]) -> None:
    """Name, image and its scan, model data, both digests, the callers' policy and what the check saw are outputs."""
    _, stack, content = endpoint

    told = {"EndpointName", "ImageUri", "ModelDataUrl", "GgufSha256", "ModelProof", "CallerPolicyArn", "Serves"}
    told.add("ArchiveSha256")
    told |= {"ImageScan"} if stack == "decision" else set()
    assert set(content.content["Outputs"]) == told
