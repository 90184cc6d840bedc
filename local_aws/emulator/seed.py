"""What is in the account before the first deploy: an operator, the DLC's stand-in image and the source model."""

import boto3

from local_aws.checkout import DLC_REPOSITORY, REGION, SOURCE_BUCKET, SOURCE_MODEL
from local_aws.emulator.image_registry import ImageRegistry
from local_aws.stand_in_image import dlc_image

OPERATOR = "operator"


def seed(registry: ImageRegistry) -> dict[str, str]:
    """Fill the account as root and return the access key of an administrator, whom policies bind (root they do not)."""
    session = boto3.Session(region_name=REGION)
    ecr, s3, iam = session.client("ecr"), session.client("s3"), session.client("iam")
    ecr.create_repository(repositoryName=DLC_REPOSITORY)
    registry.push(session, DLC_REPOSITORY, "server-sagemaker-cpu-v1", dlc_image())
    s3.create_bucket(Bucket=SOURCE_BUCKET)
    s3.put_object(Bucket=SOURCE_BUCKET, Key=SOURCE_MODEL.name, Body=SOURCE_MODEL.read_bytes())
    iam.create_user(UserName=OPERATOR)
    iam.attach_user_policy(UserName=OPERATOR, PolicyArn="arn:aws:iam::aws:policy/AdministratorAccess")
    key = iam.create_access_key(UserName=OPERATOR)["AccessKey"]
    return {"access_key_id": key["AccessKeyId"], "secret_access_key": key["SecretAccessKey"]}
