"""What happens here where CodeBuild would build an image: nothing is built, and the log says so."""

import json
from collections.abc import Callable, Mapping

import boto3

from local_aws.emulator.image_registry import ImageRegistry
from local_aws.stand_in_image import decision_image


def put_stand_in(
    session: boto3.Session,
    registry: ImageRegistry,
    variables: Mapping[str, str],
    build_id: str,
    emit: Callable[[str], None],
) -> None:
    """Put a stand-in manifest under the tag, with the project's own permissions, and leave the build's report.

    The base must be there under its digest, as a real build would need it.

    Raises:
        botocore.exceptions.ClientError: the service role may not do what the real build would do.
        ImageRefusedError: the base is not in the registry.
    """
    base, tag = variables["BASE_DIGEST"], variables["IMAGE_TAG"]
    registry.labels(session, f"{variables['BASE_REPOSITORY_URI']}@{base}")
    repository = variables["IMAGE_REPOSITORY_URI"].partition("/")[2]
    image = decision_image(tag, base)
    registry.push(session, repository, tag, image)
    message = (
        f"This is a stand-in: no image was built here, since there is no docker. Repository {repository} got "
        f"a manifest without layers, {image.digest}, labelled with content {tag}."
    )
    emit(message)
    report = {"status": "succeeded", "message": message}
    key = f"reports/{build_id.replace(':', '/')}.json"
    session.client("s3").put_object(
        Bucket=variables["ARTIFACT_BUCKET"], Key=key, Body=json.dumps(report).encode(), ContentType="application/json"
    )
