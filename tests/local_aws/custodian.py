"""The role that removes published models, assumed as an operator does."""

from typing import Any

import boto3

from local_aws.checkout import REGION
from local_aws.session import Address


def custodian_client(address: Address) -> Any:
    """Return an S3 client with the credentials of the environment's model custodian."""
    (stack,) = address.client("cloudformation").describe_stacks(StackName="semif-local-artifact")["Stacks"]
    outputs = {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}
    sts = address.client("sts")
    role = outputs["ModelCustodianRoleArn"]
    granted = sts.assume_role(RoleArn=role, RoleSessionName="test")["Credentials"]
    session = boto3.Session(
        aws_access_key_id=granted["AccessKeyId"],
        aws_secret_access_key=granted["SecretAccessKey"],
        aws_session_token=granted["SessionToken"],
        region_name=REGION,
    )
    return session.client("s3", endpoint_url=address.emulator.url, verify=address.emulator.certificate)
