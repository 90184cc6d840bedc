from collections.abc import Sequence

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from constructs import Construct

from constructs_lib.alarm_topic import alarm_arn


class DataKey(Construct):
    """The key that encrypts artifacts, images, logs, alarms and endpoint volumes; rotated every year.

    Its policy leaves administration to the account, whose own policies bound it, and lets two services use the key for
    this environment's log groups and alarms. Everything else that uses it does so with a role's permission or a grant.

    Attributes:
        key: The KMS key.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        log_group_names: Sequence[str],
        alarm_names: str,
        retain_data: bool,
    ) -> None:
        """Create the key.

        Args:
            scope: The parent.
            construct_id: The id below it.
            log_group_names: Names of the log groups CloudWatch Logs may use the key for; * stands for any rest.
            alarm_names: Names of the alarms CloudWatch may use the key for, to publish to an encrypted topic; likewise.
            retain_data: Whether the key survives the deletion of its stack.
        """
        super().__init__(scope, construct_id)
        self.key = kms.Key(
            self,
            "Key",
            description="Artifacts, images, logs, alarms and endpoint volumes",
            enable_key_rotation=True,
            removal_policy=cdk.RemovalPolicy.RETAIN if retain_data else cdk.RemovalPolicy.DESTROY,
        )
        stack = cdk.Stack.of(self)
        groups = [
            stack.format_arn(
                service="logs",
                resource="log-group",
                resource_name=name,
                arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME,
            )
            for name in log_group_names
        ]
        self.key.add_to_resource_policy(
            iam.PolicyStatement(
                sid="CloudWatchLogs",
                # Of the services here only this one has the partition's suffix in its name, as in China.
                principals=[iam.ServicePrincipal(f"logs.{stack.region}.{stack.url_suffix}")],
                actions=["kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:Describe*"],
                resources=["*"],  # in a key's policy: this key
                conditions={"ArnLike": {"kms:EncryptionContext:aws:logs:arn": groups}},
            )
        )
        self.key.add_to_resource_policy(
            iam.PolicyStatement(
                sid="CloudWatchAlarms",
                principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
                actions=["kms:Decrypt", "kms:GenerateDataKey*"],
                resources=["*"],  # as above
                conditions={
                    "StringEquals": {"aws:SourceAccount": stack.account},
                    "ArnLike": {"aws:SourceArn": alarm_arn(stack, alarm_names)},
                },
            )
        )
