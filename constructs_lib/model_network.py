from collections.abc import Sequence
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker

from config.access import Network
from constructs_lib import nag

# What a model in a VPC asks of its execution role.
# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-roles.html#sagemaker-roles-createmodel-perms
_LOOK = (
    "ec2:DescribeDhcpOptions",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeVpcs",
)
_HANDLE = ("ec2:CreateNetworkInterface", "ec2:CreateNetworkInterfacePermission", "ec2:DeleteNetworkInterface")


@dataclass(frozen=True)
class ModelNetwork:
    """A model's attachment to a VPC that exists: nothing is looked up, nothing in it is created or changed."""

    network: Network

    @property
    def vpc_config(self) -> sagemaker.CfnModel.VpcConfigProperty:
        """What the model is told."""
        return sagemaker.CfnModel.VpcConfigProperty(
            subnets=list(self.network.subnet_ids), security_group_ids=list(self.network.security_group_ids)
        )

    def grant_attach(self, role: iam.Role) -> None:
        """Allow the role to attach instances to these subnets, in these groups, and to detach them again."""
        stack = cdk.Stack.of(role)
        (interfaces,) = _arns(stack, "network-interface", ["*"])
        subnets = _arns(stack, "subnet", self.network.subnet_ids)
        groups = _arns(stack, "security-group", self.network.security_group_ids)
        role.add_to_policy(iam.PolicyStatement(actions=["ec2:CreateNetworkInterface"], resources=[*subnets, *groups]))
        in_these_subnets = {"ArnEquals": {"ec2:Subnet": subnets}}
        role.add_to_policy(
            iam.PolicyStatement(actions=list(_HANDLE), resources=[interfaces], conditions=in_these_subnets)
        )
        # Whether this one tells the subnet is not documented.
        role.add_to_policy(
            iam.PolicyStatement(actions=["ec2:DeleteNetworkInterfacePermission"], resources=[interfaces])
        )
        nag.acknowledge_resources(role, interfaces, "network interfaces")
        role.add_to_policy(iam.PolicyStatement(actions=list(_LOOK), resources=["*"]))
        for action in _LOOK:
            nag.acknowledge_action_without_resource(role, action)


def _arns(stack: cdk.Stack, resource: str, names: Sequence[str]) -> list[str]:
    return [stack.format_arn(service="ec2", resource=resource, resource_name=name) for name in names]
