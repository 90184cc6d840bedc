"""Sessions with a role's own credentials, as the AWS service that the role trusts would get them."""

from typing import Any

import boto3

from local_aws.checkout import REGION


class RoleRefusedError(RuntimeError):
    """The role is not there, or does not trust the service."""


def assume(role_arn: str, service: str) -> boto3.Session:
    """Return a session whose requests are authorized by the role's policies.

    ministack lets its root caller assume any role that trusts any service, so the trusted service is checked here.

    Raises:
        RoleRefusedError: names the role and the service.
    """
    name = role_arn.rsplit("/", 1)[-1]
    iam, sts = boto3.client("iam", region_name=REGION), boto3.client("sts", region_name=REGION)
    try:
        trust = iam.get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"]
    except iam.exceptions.NoSuchEntityException as error:
        raise RoleRefusedError(f"{service} cannot assume {role_arn}: there is no such role") from error
    if service not in _trusted_services(trust):
        raise RoleRefusedError(f"{service} cannot assume {role_arn}: the role does not trust it")
    granted = sts.assume_role(RoleArn=role_arn, RoleSessionName=service.split(".", 1)[0])["Credentials"]
    return boto3.Session(
        aws_access_key_id=granted["AccessKeyId"],
        aws_secret_access_key=granted["SecretAccessKey"],
        aws_session_token=granted["SessionToken"],
        region_name=REGION,
    )


def _trusted_services(trust: Any) -> set[str]:  # noqa: ANN401 -- a policy document is any JSON
    services: set[str] = set()
    for statement in trust["Statement"]:
        principal = statement.get("Principal", {})
        if statement["Effect"] == "Allow" and isinstance(principal, dict):
            named = principal.get("Service", [])
            services.update([named] if isinstance(named, str) else named)
    return services
