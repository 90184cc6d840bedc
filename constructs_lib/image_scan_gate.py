from aws_cdk import aws_iam as iam
from constructs import Construct

from config.images import Severity
from constructs_lib.log_group import LogSettings
from constructs_lib.pinned_image import PinnedImage
from constructs_lib.resource_provider import HandlerSize, ResourceProvider
from constructs_lib.verification import Verification

# A scan that is under way is waited for for seven minutes.
_SIZE = HandlerSize(timeout_minutes=10, memory_mib=256)


class ImageScanGate(Construct):
    """An image whose scan by its registry was looked at during this deployment, and refused if it found too much.

    What must not exist with a refused image depends on it.

    Attributes:
        summary: One line that says what the scan found, known only once it is looked at.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        image: PinnedImage,
        block_at_severity: Severity | None,
        logs: LogSettings,
    ) -> None:
        """Look at the scan.

        Args:
            scope: The parent.
            construct_id: The id below it.
            image: The image, in a repository that scans what is pushed.
            block_at_severity: Findings at or above it fail the deployment, and so does a scan without a result; with
                None findings are only reported.
            logs: Key and retention of the handler's logs.
        """
        super().__init__(scope, construct_id)
        provider = ResourceProvider(self, "Provider", handler="scan_gate", size=_SIZE, logs=logs)
        source = image.source
        provider.role.add_to_policy(
            iam.PolicyStatement(actions=["ecr:DescribeImageScanFindings"], resources=[source.arn])
        )
        verification = Verification(
            self,
            "Resource",
            provider=provider,
            size=_SIZE,
            properties={
                "RegistryId": source.registry_id,
                "RepositoryName": source.name,
                "Digest": image.digest,
                "BlockAtSeverity": block_at_severity.upper() if block_at_severity else "NEVER",
            },
        )
        self.summary = verification.get_att_string("Summary")
