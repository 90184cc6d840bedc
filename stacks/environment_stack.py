import aws_cdk as cdk
from constructs import Construct

from config.settings import Settings
from constructs_lib.artifact_exports import ArtifactExports


class EnvironmentStack(cdk.Stack):
    """A stack of one environment: in its account and region where it has them, protected as its settings say.

    Attributes:
        settings: The environment's settings.
        stack_name_prefix: What the names of all its stacks begin with.
        artifacts: What the artifact stack of the same environment shares.
    """

    def __init__(self, scope: Construct, construct_id: str, *, settings: Settings, description: str) -> None:
        """Create an empty stack named semif-<environment>-<construct id>."""
        environment = settings.environment
        prefix = f"semif-{environment.name}"
        super().__init__(
            scope,
            f"{prefix}-{construct_id}",
            description=description,
            env=cdk.Environment(account=environment.account, region=environment.region),
            termination_protection=settings.protection.termination_protection,
        )
        self.settings = settings
        self.artifacts = ArtifactExports(f"{prefix}-artifact")
        self.stack_name_prefix = prefix
