import re

import pytest

from config.content import image_files, image_tag
from tests.template.synthesis import ENVIRONMENTS, Template, assembly, flat, settings_of, template

DECISION_VARIABLES = [
    "BASE_REPOSITORY_URI",
    "BASE_DIGEST",
    "BASE_REGISTRY_ACCOUNT",
    "IMAGE_REPOSITORY_URI",
    "IMAGE_TAG",
    "IMAGE_PLATFORM",
    "ARTIFACT_BUCKET",
]


@pytest.fixture(params=ENVIRONMENTS)
def environment(request: pytest.FixtureRequest) -> str:
    """Each environment's name."""
    return str(request.param)


def _variables(build: Template, start: str) -> dict[str, str]:
    _, project = build.named(start, "AWS::CodeBuild::Project")
    variables = project["Environment"]["EnvironmentVariables"]
    assert {each["Type"] for each in variables} == {"PLAINTEXT"}
    return {each["Name"]: flat(each["Value"]) for each in variables}


def test_only_the_image_build_is_privileged(environment: str) -> None:
    """Fetching a model needs no Docker daemon, so it has none."""
    build = template(environment, "build")
    _, package = build.named("ModelPackage", "AWS::CodeBuild::Project")
    _, image = build.named("DecisionImage", "AWS::CodeBuild::Project")

    assert (package["Environment"]["PrivilegedMode"], image["Environment"]["PrivilegedMode"]) == (False, True)


@pytest.mark.parametrize(
    ("name", "kind", "image", "platform"),
    [
        ("graviton", "ARM_CONTAINER", "aws/codebuild/amazonlinux-aarch64-standard:4.0", "linux/arm64"),
        ("prod", "LINUX_CONTAINER", "aws/codebuild/amazonlinux-x86_64-standard:6.0", "linux/amd64"),
    ],
)
def test_image_is_built_on_the_architecture_that_it_is_for(name: str, kind: str, image: str, platform: str) -> None:
    """Graviton's image comes from a Graviton build; what only fetches a model stays as it was."""
    build = template(name, "build")
    machine = build.named("DecisionImage", "AWS::CodeBuild::Project")[1]["Environment"]
    package = build.named("ModelPackage", "AWS::CodeBuild::Project")[1]["Environment"]

    assert (machine["Type"], machine["Image"], machine["ComputeType"]) == (kind, image, "BUILD_GENERAL1_MEDIUM")
    assert _variables(build, "DecisionImage")["IMAGE_PLATFORM"] == platform
    assert package["Type"] == "LINUX_CONTAINER"


def test_packaging_build_knows_the_pin_and_where_to_publish(environment: str) -> None:
    """Everything the build needs stands in its environment, as the pin says it."""
    pin = settings_of(environment).model

    variables = _variables(template(environment, "build"), "ModelPackage")

    source = {name: variables.pop(name) for name in sorted(variables) if name.startswith("MODEL_SOURCE_")}
    assert variables == {
        "MODEL_FILE": pin.file,
        "MODEL_BYTES": str(pin.bytes),
        "MODEL_SHA256": pin.sha256,
        "MODEL_PACKAGING": pin.packaging,
        "MANIFEST": pin.manifest,
        "ARTIFACT_BUCKET": f"<semif-{environment}-artifact-BucketName>",
        "ARTIFACT_KEY": pin.object_key,
    }
    given = pin.source.model_dump(exclude_none=True)
    assert source == {f"MODEL_SOURCE_{name.upper()}": value for name, value in given.items()}


def test_image_build_names_base_and_target(environment: str) -> None:
    """The base goes in by digest, the image comes out under the tag of its content."""
    base = settings_of(environment).images.decision_base

    variables = _variables(template(environment, "build"), "DecisionImage")

    assert list(variables) == DECISION_VARIABLES
    assert variables["BASE_DIGEST"] == base.digest
    assert variables["IMAGE_TAG"] == image_tag(base.digest)
    assert variables["IMAGE_PLATFORM"] == base.of_kind.platform
    assert variables["BASE_REPOSITORY_URI"].startswith(f"{variables['BASE_REGISTRY_ACCOUNT']}.dkr.ecr.")
    assert variables["IMAGE_REPOSITORY_URI"].endswith(f"/<semif-{environment}-artifact-RepositoryName>")


def test_source_of_the_image_build_is_exactly_the_content(environment: str) -> None:
    """What the tag is computed from is what the build gets, beside its own script."""
    build = template(environment, "build")
    _, project = build.named("DecisionImage", "AWS::CodeBuild::Project")
    asset = re.findall(r"([0-9a-f]{64})\.zip", flat(project["Source"]["Location"]))[0]
    folder = assembly(environment) / f"asset.{asset}"
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}

    assert {name for name in files if name.startswith("container/")} == {f"container/{path}" for path in image_files()}
    assert {name.split("/")[1] for name in files if not name.startswith("container/")} == {"decision_image"}
    assert project["Source"]["BuildSpec"] in files


def test_builds_end_before_the_resource_that_waits_for_them(environment: str) -> None:
    """Queue and build together are shorter than the wait, and the wait than CloudFormation's hour."""
    build = template(environment, "build")
    waits = [int(each["Properties"]["ServiceTimeout"]) for each in build.of_type("Custom::BuildRun").values()]

    for project in build.of_type("AWS::CodeBuild::Project").values():
        minutes = project["Properties"]["TimeoutInMinutes"] + project["Properties"]["QueuedTimeoutInMinutes"]
        assert minutes * 60 < 55 * 60 < min(waits)
    assert max(waits) < 3600


def test_build_run_names_the_content_by_what_it_is_made_of(environment: str) -> None:
    """The archive's key and the image's tag are known before anything is built."""
    settings = settings_of(environment)
    runs = [each["Properties"] for each in template(environment, "build").of_type("Custom::BuildRun").values()]

    assert [(run["ContentKind"], run["ContentName"]) for run in runs] == [
        ("s3", settings.model.object_key),
        ("ecr", image_tag(settings.images.decision_base.digest)),
    ]
    for run in runs:
        assert set(run) == {
            "ServiceToken",
            "ServiceTimeout",
            "ProjectName",
            "ContentKind",
            "ContentLocation",
            "ContentName",
            "ReportBucket",
            "HandlerVersion",
        }


@pytest.mark.parametrize(("retained", "policy"), [("prod", "Retain"), ("local", "Delete")])
def test_log_of_a_build_outlives_a_rolled_back_deployment(retained: str, policy: str) -> None:
    """The sentence of a failed build names its log, which the rollback of a stack's first deployment must leave."""
    build = template(retained, "build")
    projects = [each["Properties"] for each in build.of_type("AWS::CodeBuild::Project").values()]
    logs = [each["LogsConfig"]["CloudWatchLogs"]["GroupName"]["Ref"] for each in projects]

    assert len(logs) == 2
    assert {build.resources[log]["DeletionPolicy"] for log in logs} == {policy}


def test_build_starts_after_every_policy_of_its_role(environment: str) -> None:
    """A build that started earlier would be denied what it needs."""
    build = template(environment, "build")
    for name, run in build.of_type("Custom::BuildRun").items():
        part = name.split("Run")[0]
        policies = {each for each in build.of_type("AWS::IAM::Policy") if each.startswith(f"{part}Build")}

        assert policies
        assert policies <= set(run["DependsOn"])
