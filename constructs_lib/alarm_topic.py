import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from constructs import Construct


class AlarmTopic(Construct):
    """Where an environment's alarms are told; encrypted, and only its own alarms may publish.

    Attributes:
        topic: The SNS topic; people subscribe to it.
    """

    def __init__(self, scope: Construct, construct_id: str, *, encryption_key: kms.IKey, alarm_names: str) -> None:
        """Create the topic.

        Args:
            scope: The parent.
            construct_id: The id below it.
            encryption_key: Encrypts what is told; CloudWatch must be allowed to use it.
            alarm_names: Names of the alarms that may publish; * stands for any rest.
        """
        super().__init__(scope, construct_id)
        self.topic = sns.Topic(self, "Topic", master_key=encryption_key, enforce_ssl=True)
        stack = cdk.Stack.of(self)
        self.topic.add_to_resource_policy(
            iam.PolicyStatement(
                sid="AlarmsOfThisEnvironment",
                principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
                actions=["sns:Publish"],
                resources=[self.topic.topic_arn],
                conditions={
                    "StringEquals": {"aws:SourceAccount": stack.account},
                    "ArnLike": {"aws:SourceArn": alarm_arn(stack, alarm_names)},
                },
            )
        )


def alarm_arn(stack: cdk.Stack, alarm_names: str) -> str:
    """Return the ARN of the stack's account's and region's alarms of these names."""
    return stack.format_arn(
        service="cloudwatch",
        resource="alarm",
        resource_name=alarm_names,
        arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME,
    )
