from pathlib import Path

import aws_cdk as cdk
import pytest
from aws_cdk import assertions
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3

from config.loader import load
from constructs_lib.container_environment import ContainerEnvironment
from constructs_lib.image_source import ImageSource
from constructs_lib.inference_endpoint import InferenceEndpoint
from constructs_lib.log_group import LogSettings
from constructs_lib.pinned_image import PinnedImage
from constructs_lib.production_variant import ProductionVariant
from constructs_lib.verified_model import VerifiedModel
from tests.template.synthesis import ENVIRONMENTS, Template, flat, listed, settings_of, template

SETTINGS = load("dev")


def _with_imported_bucket(folder: Path) -> Template:
    """Synthesize an endpoint whose bucket is imported by ARN, in a stage with a concrete account."""
    stage = cdk.Stage(
        cdk.App(outdir=str(folder)), "Stage", env=cdk.Environment(account="111122223333", region="eu-central-1")
    )
    stack = cdk.Stack(stage, "Stack")
    key = kms.Key.from_key_arn(stack, "Key", "arn:aws:kms:eu-central-1:111122223333:key/1")
    logs = LogSettings(key, 7)
    model = VerifiedModel(
        stack,
        "Model",
        pin=SETTINGS.model,
        bucket=s3.Bucket.from_bucket_arn(stack, "Bucket", "arn:aws:s3:::elsewhere"),
        encryption_key=key,
        logs=logs,
    )
    source = ImageSource.deep_learning_container(stack, name="llama-cpp", registry_account=None)
    InferenceEndpoint(
        stack,
        "Endpoint",
        model=model,
        image=PinnedImage(
            stack, "Image", source=source, reference=SETTINGS.images.chat.digest, platform="linux/amd64", logs=logs
        ),
        environment=ContainerEnvironment.of_chat(SETTINGS.model, SETTINGS.chat),
        variant=ProductionVariant(SETTINGS.chat),
        encryption_key=key,
        logs=logs,
    )
    return Template(assertions.Template.from_stack(stack).to_json())


CASES = {f"{env}-{stack}": (env, stack) for env in ENVIRONMENTS for stack in ("chat", "decision")}


@pytest.mark.rule("A model is created after every policy of its execution role", tool="CDK", emulated="")
@pytest.mark.parametrize("case", [*CASES, "imported"])
def test_model_comes_after_every_policy_of_its_role(tmp_path: Path, case: str) -> None:
    """Otherwise the first deployment is a race between the model and the permission to read it."""
    content = template(*CASES[case]) if case in CASES else _with_imported_bucket(tmp_path)
    (model,) = content.of_type("AWS::SageMaker::Model").values()
    role = model["Properties"]["ExecutionRoleArn"]["Fn::GetAtt"][0]
    policies = {
        name
        for kind in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy")
        for name, policy in content.of_type(kind).items()
        if {"Ref": role} in policy["Properties"].get("Roles", [])
    }

    assert policies
    assert policies <= set(model["DependsOn"])


@pytest.mark.parametrize("case", [*CASES, "imported"])
def test_execution_role_really_may_read_the_archive(tmp_path: Path, case: str) -> None:
    """The statement is in a policy of the template, also for a bucket that is not ours, and names this one object."""
    content = template(*CASES[case]) if case in CASES else _with_imported_bucket(tmp_path)
    pin = settings_of(CASES[case][0] if case in CASES else "dev").model
    _, model = content.only("AWS::SageMaker::Model")
    statements = content.statements(model["ExecutionRoleArn"]["Fn::GetAtt"][0])

    (read,) = [each for each in statements if "s3:GetObject" in listed(each["Action"])]

    assert read["Effect"] == "Allow"
    assert flat(read["Resource"]).endswith(f"/{pin.object_key}")
