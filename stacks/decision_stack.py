import aws_cdk as cdk
from constructs import Construct

from config.content import image_tag
from config.settings import Settings
from constructs_lib.caller_policy import CallerPolicy
from constructs_lib.container_environment import ContainerEnvironment
from constructs_lib.endpoint_metrics import EndpointMetrics
from constructs_lib.image_scan_gate import ImageScanGate
from constructs_lib.inference_endpoint import InferenceEndpoint
from constructs_lib.pinned_image import PinnedImage
from constructs_lib.production_variant import ProductionVariant
from constructs_lib.wanted_answer import WantedAnswer
from stacks.endpoint_stack import EndpointStack


class DecisionStack(EndpointStack):
    """The decision endpoint: our container, which scores declared options in one forward pass."""

    def __init__(self, scope: Construct, construct_id: str, *, settings: Settings) -> None:
        """Compose the stack."""
        super().__init__(scope, construct_id, settings=settings, description="Decision endpoint")
        model = self.verified_model()
        base = settings.images.decision_base
        tag = image_tag(base.digest)
        source = self.artifacts.image_source(self)
        image = PinnedImage(
            self,
            "PinnedImage",
            source=source,
            reference=tag,
            platform=base.of_kind.platform,
            logs=self.logs,
            tags="content",
        )
        environment = ContainerEnvironment.of_decision(settings.model, settings.decision, image_digest=image.digest)
        endpoint = InferenceEndpoint(
            self,
            "InferenceEndpoint",
            model=model,
            image=image,
            environment=environment,
            variant=ProductionVariant(settings.decision),
            encryption_key=self.key,
            logs=self.endpoint_log,
            network=settings.network,
        )
        if settings.images.scan != "off":
            gate = ImageScanGate(
                self,
                "ImageScanGate",
                image=image,
                block_at_severity=settings.images.block_at_severity,
                logs=self.logs,
            )
            endpoint.node.add_dependency(gate)
            cdk.CfnOutput(self, "ImageScan", value=gate.summary)
        errors = EndpointMetrics(endpoint.endpoint_name).of_decisions("EngineErrors", "Sum")
        self.operate(endpoint, settings.decision, engine_errors=errors)
        self.export_caller_policy(CallerPolicy(self, "CallerPolicy", endpoint=endpoint))
        answer = WantedAnswer.of_decision(settings.model, settings.decision, image_digest=image.digest)
        self.finish(endpoint, image, model, answer)
