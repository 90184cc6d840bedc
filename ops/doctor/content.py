"""What an environment keeps: bucket, key, repository, and the content that its file asks for; and how builds ended."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from botocore.exceptions import ClientError

from config.content import image_tag
from config.settings import Settings
from ops.refusals import code_of, is_missing, next_action
from ops.report import Line, ok, warning, wrong
from ops.services import Services
from ops.stacks import outputs, physical_ids

_GONE = "find out who deleted it; destroy and deploy again, which builds what it held again"
_BUILD = "make deploy builds it; if the stacks are there and nothing changed, start its CodeBuild project by hand"
_REPORT_BYTES = 1 << 14


def kept(services: Services, settings: Settings) -> Iterator[Line]:
    """Say whether bucket, key and repository are there, and hold what the file asks for."""
    put_out = outputs(services.cloudformation, f"semif-{settings.environment.name}-artifact")
    if not put_out:
        yield wrong("artifacts", "there is no artifact stack, so no bucket, key or repository", "make deploy")
        return
    yield _data_key(services, put_out["KeyArn"])
    bucket = _bucket(services, put_out["BucketName"])
    yield bucket
    if not bucket.action:
        yield _archive(services, put_out["BucketName"], settings.model.object_key)
    yield _decision_image(services, put_out["RepositoryName"], image_tag(settings.images.decision_base.digest))


def builds(services: Services, settings: Settings) -> Iterator[Line]:
    """Say how the last build of each project ended."""
    name = settings.environment.name
    bucket = outputs(services.cloudformation, f"semif-{name}-artifact").get("BucketName", "")
    for project in physical_ids(services.cloudformation, f"semif-{name}-build", "AWS::CodeBuild::Project"):
        ids = services.codebuild.list_builds_for_project(projectName=project, sortOrder="DESCENDING")["ids"]
        if not ids:
            yield ok(f"build {project}", "has not run: its content was there")
            continue
        (build,) = services.codebuild.batch_get_builds(ids=ids[:1])["builds"]
        yield _of_build(services, project, build, bucket)


def _data_key(services: Services, arn: str) -> Line:
    try:
        state = services.kms.describe_key(KeyId=arn)["KeyMetadata"]["KeyState"]
    except ClientError as error:
        return wrong("key", f"{arn}: {code_of(error)}", _GONE if is_missing(error) else next_action(error))
    if state == "PendingDeletion":
        return wrong(
            "key", f"{arn} will be deleted, and every archive and image with it", "aws kms cancel-key-deletion"
        )
    return ok("key", arn) if state == "Enabled" else wrong("key", f"{arn} is {state}", "aws kms enable-key")


def _bucket(services: Services, name: str) -> Line:
    try:
        services.s3.head_bucket(Bucket=name)
    except ClientError as error:
        says = f"{name}: {'is not there' if is_missing(error) else code_of(error)}"
        return wrong("bucket", says, _GONE if is_missing(error) else next_action(error))
    return ok("bucket", name)


def _archive(services: Services, bucket: str, key: str) -> Line:
    # A prefix, since an unpacked model is one; a published key is the prefix of itself alone.
    if services.s3.list_objects_v2(Bucket=bucket, Prefix=key, MaxKeys=1).get("KeyCount"):
        return ok("model key", key)
    return wrong("model key", f"{key} is not in the bucket", _BUILD)


def _decision_image(services: Services, repository: str, tag: str) -> Line:
    try:
        (found,) = services.ecr.describe_images(repositoryName=repository, imageIds=[{"imageTag": tag}])["imageDetails"]
    except ClientError as error:
        if code_of(error) == "ImageNotFoundException":
            return wrong("repository", f"{repository} holds no image {tag}, the content of this checkout", _BUILD)
        return wrong(
            "repository", f"{repository}: {code_of(error)}", _GONE if is_missing(error) else next_action(error)
        )
    return ok("repository", f"{repository}:{tag} is {found.get('imageDigest')}")


def _of_build(services: Services, project: str, build: Mapping[str, Any], bucket: str) -> Line:
    subject, status = f"build {project}", build["buildStatus"]
    if status in ("SUCCEEDED", "IN_PROGRESS"):
        return ok(subject, f"{build['id']} {status}")
    group = build.get("logs", {}).get("groupName") or "see CodeBuild"
    says = f"{build['id']} {status}: {_reported(services, bucket, build['id'])} [log group {group}]"
    return warning(subject, says, "mend the cause and deploy again; content that is there is not built again")


def _reported(services: Services, bucket: str, build_id: str) -> str:
    """Return the sentence that a build left in the bucket."""
    try:
        body = services.s3.get_object(Bucket=bucket, Key=f"reports/{build_id.replace(':', '/')}.json")["Body"]
        return " ".join(str(json.loads(body.read(_REPORT_BYTES))["message"]).split())
    except (ClientError, ValueError, KeyError):
        return "it left no report"
