from dataclasses import dataclass
from typing import Self

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import region_info
from constructs import Construct

from config.rules import ConfigurationError
from constructs_lib import nag

_PULL = ("ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer")


@dataclass(frozen=True)
class ImageSource:
    """A private ECR repository that images are pulled from; the values may be CloudFormation tokens."""

    registry_id: str
    name: str
    uri: str
    arn: str

    @classmethod
    def in_registry(cls, scope: Construct, *, registry_id: str, name: str) -> Self:
        """Describe a repository in a registry of the stack's own region."""
        stack = cdk.Stack.of(scope)
        uri = f"{registry_id}.dkr.ecr.{stack.region}.{stack.url_suffix}/{name}"
        arn = stack.format_arn(service="ecr", account=registry_id, resource="repository", resource_name=name)
        return cls(registry_id=registry_id, name=name, uri=uri, arn=arn)

    @classmethod
    def deep_learning_container(cls, scope: Construct, *, name: str, registry_account: str | None) -> Self:
        """Describe a repository of the AWS deep learning containers.

        Args:
            scope: A construct in the stack that pulls.
            name: The repository's name.
            registry_account: The registry's account; None takes the one AWS publishes for the stack's region.

        Raises:
            ConfigurationError: AWS publishes none for the stack's region.
        """
        account = registry_account or _published_account(cdk.Stack.of(scope))
        return cls.in_registry(scope, registry_id=account, name=name)

    def grant_pull(self, role: iam.Role) -> None:
        """Allow the role to pull this repository's images."""
        role.add_to_policy(iam.PolicyStatement(actions=list(_PULL), resources=[self.arn]))
        role.add_to_policy(iam.PolicyStatement(actions=["ecr:GetAuthorizationToken"], resources=["*"]))
        nag.acknowledge_action_without_resource(role, "ecr:GetAuthorizationToken")


def _published_account(stack: cdk.Stack) -> str:
    fact = region_info.FactName.DLC_REPOSITORY_ACCOUNT
    if cdk.Token.is_unresolved(stack.region):
        return stack.regional_fact(fact)
    account = region_info.RegionInfo.get(stack.region).dlc_repository_account
    if account is None:
        raise ConfigurationError(
            f"environment.region: no account of the AWS deep learning containers is known for {stack.region}; "
            "set environment.registry_account to the one that serves it."
        )
    return account
