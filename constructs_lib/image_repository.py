import aws_cdk as cdk
from aws_cdk import aws_ecr as ecr
from aws_cdk import aws_kms as kms
from constructs import Construct


class ImageRepository(Construct):
    """The repository of decision images: a tag, once pushed, never moves.

    Attributes:
        repository: The ECR repository.
    """

    def __init__(self, scope: Construct, construct_id: str, *, encryption_key: kms.IKey, retain_data: bool) -> None:
        """Create the repository.

        Args:
            scope: The parent.
            construct_id: The id below it.
            encryption_key: Encrypts every layer, by grants that ECR makes itself: who pulls needs no right to it.
            retain_data: Whether the repository survives the deletion of its stack; otherwise it is emptied for it.
        """
        super().__init__(scope, construct_id)
        self.repository = ecr.Repository(
            self,
            "Repository",
            image_tag_mutability=ecr.TagMutability.IMMUTABLE,
            image_scan_on_push=True,
            encryption=ecr.RepositoryEncryption.KMS,
            encryption_key=encryption_key,
            # Tagged images are never expired: a running endpoint pulls its image again whenever it gets a new instance.
            lifecycle_rules=[ecr.LifecycleRule(tag_status=ecr.TagStatus.UNTAGGED, max_image_age=cdk.Duration.days(14))],
            removal_policy=cdk.RemovalPolicy.RETAIN if retain_data else cdk.RemovalPolicy.DESTROY,
            empty_on_delete=not retain_data,
        )
