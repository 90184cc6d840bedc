import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from constructs_lib import nag

_SESSION = cdk.Duration.hours(1)


class ModelCustodian(Construct):
    """The one role that may remove a published model; nothing of the product assumes it.

    Whoever in the account is allowed sts:AssumeRole on it becomes the custodian for an hour, which CloudTrail records.

    Attributes:
        role: The role.
    """

    def __init__(self, scope: Construct, construct_id: str, *, bucket: s3.IBucket, models: str) -> None:
        """Create the role.

        Args:
            scope: The parent.
            construct_id: The id below it.
            bucket: The artifact bucket.
            models: What the keys of published models begin with.
        """
        super().__init__(scope, construct_id)
        self.role = iam.Role(
            self,
            "Role",
            assumed_by=iam.AccountPrincipal(cdk.Stack.of(self).account),
            description="Removes published models",
            max_session_duration=_SESSION,
        )
        objects = bucket.arn_for_objects(f"{models}*")
        removal = ["s3:DeleteObject", "s3:DeleteObjectVersion"]
        self.role.add_to_policy(iam.PolicyStatement(actions=removal, resources=[objects]))
        sight = ["s3:ListBucket", "s3:ListBucketVersions"]
        of_models = {"StringLike": {"s3:prefix": f"{models}*"}}
        self.role.add_to_policy(iam.PolicyStatement(actions=sight, resources=[bucket.bucket_arn], conditions=of_models))
        nag.acknowledge_resources(self.role, objects, "published models")
