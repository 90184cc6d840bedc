"""What outlives every deployment: where artifacts lie, and that nothing here depends on who uses it."""

from pathlib import Path

import aws_cdk as cdk
import pytest
from aws_cdk import assertions

from app import build
from stacks.artifact_stack import ArtifactStack
from tests.template.synthesis import DIRECTORY, ENVIRONMENTS, STACKS, Template, settings_of, template


@pytest.fixture(params=ENVIRONMENTS)
def artifact(request: pytest.FixtureRequest) -> Template:
    """The artifact stack of each environment."""
    return template(request.param, "artifact")


def test_nothing_expires_that_is_in_use(artifact: Template) -> None:
    """Current model archives and tagged images have no age; reports, old versions and unfinished uploads have one."""
    _, bucket = artifact.named("ArtifactBucketC", "AWS::S3::Bucket")
    expiring = [rule for rule in bucket["LifecycleConfiguration"]["Rules"] if "ExpirationInDays" in rule]
    _, repository = artifact.only("AWS::ECR::Repository")

    assert [rule["Prefix"] for rule in expiring] == ["reports/"]
    assert '"tagStatus":"untagged"' in repository["LifecyclePolicy"]["LifecyclePolicyText"]
    assert repository["LifecyclePolicy"]["LifecyclePolicyText"].count("tagStatus") == 1


def test_repository_tags_are_immutable_and_scanned(artifact: Template) -> None:
    """A tag never moves, and every push is scanned."""
    _, repository = artifact.only("AWS::ECR::Repository")

    assert repository["ImageTagMutability"] == "IMMUTABLE"
    assert repository["ImageScanningConfiguration"] == {"ScanOnPush": True}
    assert "RepositoryName" not in repository


@pytest.mark.parametrize(("environment", "policy"), [("dev", "Retain"), ("prod", "Retain"), ("local", "Delete")])
def test_data_survives_the_stack_except_locally(environment: str, policy: str) -> None:
    """Buckets, repository and key are retained unless the environment's own value says otherwise."""
    artifact = template(environment, "artifact")
    for kind in ("AWS::S3::Bucket", "AWS::ECR::Repository", "AWS::KMS::Key"):
        for resource in artifact.of_type(kind).values():
            assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == (policy, policy)
    assert bool(artifact.of_type("Custom::S3AutoDeleteObjects")) == (policy == "Delete")


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_logical_ids_of_stateful_resources_are_frozen(environment: str) -> None:
    """Another logical id would be another, empty resource: none of these may ever change."""
    artifact = template(environment, "artifact")
    kinds = ("AWS::KMS::Key", "AWS::S3::Bucket", "AWS::ECR::Repository")

    assert [name for kind in kinds for name in sorted(artifact.of_type(kind))] == [
        "DataKey2A0DE9E6",
        "ArtifactBucketAccessLogs4ADB5388",
        "ArtifactBucketC3871E62",
        "ImageRepository6BAD029D",
    ]


def test_exports_are_three_names_that_do_not_depend_on_content(artifact: Template) -> None:
    """What others import is the bucket, the key and the repository, under stable names."""
    outputs = artifact.content["Outputs"].items()
    exports = {name: output["Export"]["Name"] for name, output in outputs if "Export" in output}

    assert {"BucketName", "KeyArn", "RepositoryName"} == set(exports)
    assert all(exported.endswith(f"-artifact-{name}") for name, exported in exports.items())


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_artifact_stack_is_the_same_without_its_consumers(tmp_path: Path, environment: str) -> None:
    """Removing every other stack changes nothing here, so no export is ever withdrawn while in use."""
    settings = settings_of(environment)
    context = build(environment, directory=DIRECTORY, outdir=str(tmp_path)).node.get_all_context()
    alone = ArtifactStack(cdk.App(outdir=str(tmp_path), context=context), "artifact", settings=settings)

    content = assertions.Template.from_stack(alone).to_json()

    assert content["Resources"] == template(environment, "artifact").content["Resources"]
    assert content["Outputs"] == template(environment, "artifact").content["Outputs"]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_other_stacks_import_only_those_exports(environment: str) -> None:
    """No reference crosses between stacks except by an explicit export of the artifact stack."""
    for stack in STACKS[1:]:
        text = str(template(environment, stack).content)

        assert "Fn::GetStackOutput" not in text
        assert text.count("Fn::ImportValue") == text.count(f"'Fn::ImportValue': 'semif-{environment}-artifact-")
        assert "ExportsOutput" not in text
