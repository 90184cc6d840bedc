"""What happens here where CodeBuild would build an image: nothing is built, and the log and the report say so."""

import json
import time
from collections.abc import Mapping

import boto3
from botocore.exceptions import ClientError

from local_aws.emulator.build import BuildRecord
from local_aws.emulator.image_registry import ImageRefusedError, ImageRegistry
from local_aws.stand_in_image import decision_image


def run(session: boto3.Session, registry: ImageRegistry, variables: Mapping[str, str], record: BuildRecord) -> str:
    """Put a stand-in under the tag, with the project's permissions, leave a report, return the build's status."""
    since = time.time()
    try:
        message, reason = _put_stand_in(session, registry, variables), ""
    except (ClientError, ImageRefusedError) as error:
        message = reason = str(error)
    status = "FAILED" if reason else "SUCCEEDED"
    record.emit(message)
    report = json.dumps({"status": status.lower(), "message": message})
    session.client("s3").put_object(
        Bucket=variables["ARTIFACT_BUCKET"],
        Key=f"reports/{record.build['id'].replace(':', '/')}.json",
        Body=report.encode(),
        ContentType="application/json",
    )
    record.phase("BUILD", status, since, reason)
    return status


def _put_stand_in(session: boto3.Session, registry: ImageRegistry, variables: Mapping[str, str]) -> str:
    """Return the sentence that says what was put where; the base must be there, as a real build would need it."""
    base, tag = variables["BASE_DIGEST"], variables["IMAGE_TAG"]
    registry.labels(session, f"{variables['BASE_REPOSITORY_URI']}@{base}")
    repository = variables["IMAGE_REPOSITORY_URI"].partition("/")[2]
    image = decision_image(tag, base)
    registry.push(session, repository, tag, image)
    return (
        f"This is a stand-in: no image was built here, since there is no docker. Repository {repository} got "
        f"a manifest with an empty layer, {image.digest}, labelled with content {tag}."
    )
