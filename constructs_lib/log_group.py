from dataclasses import dataclass
from typing import cast

import aws_cdk as cdk
from aws_cdk import aws_kms as kms
from aws_cdk import aws_logs as logs
from constructs import Construct

from config.settings import LogRetentionDays


@dataclass(frozen=True)
class LogSettings:
    """How log groups are kept.

    Attributes:
        encryption_key: Their key, which CloudWatch Logs must be allowed to use.
        retention_days: How long each line is kept.
        survives_stack: Whether the groups outlive their stack; those with a generated name also one whose first
            deployment is rolled back. A group with a given name has to be imported by the next deployment.
    """

    encryption_key: kms.IKey
    retention_days: LogRetentionDays
    survives_stack: bool = False


class EncryptedLogGroup(Construct):
    """A log group with our key and retention; it goes with its stack unless the settings say otherwise.

    Attributes:
        log_group: The log group.
    """

    def __init__(
        self, scope: Construct, construct_id: str, *, settings: LogSettings, log_group_name: str | None = None
    ) -> None:
        """Create the log group.

        Args:
            scope: The parent.
            construct_id: The id below it.
            settings: Key and retention.
            log_group_name: Only where a service dictates the name; otherwise CloudFormation makes one.
        """
        super().__init__(scope, construct_id)
        # With a given name, what a failed first deployment left would be in the way of the second.
        kept = cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if log_group_name else cdk.RemovalPolicy.RETAIN
        self.log_group = logs.LogGroup(
            self,
            "LogGroup",
            log_group_name=log_group_name,
            encryption_key=settings.encryption_key,
            removal_policy=kept if settings.survives_stack else cdk.RemovalPolicy.DESTROY,
        )
        # The construct takes names of periods only; the resource takes the days that the settings hold.
        resource = cast("logs.CfnLogGroup", self.log_group.node.default_child)
        resource.retention_in_days = settings.retention_days
