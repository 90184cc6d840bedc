from constructs import Construct

from config.settings import Settings
from constructs_lib.caller_policy import CallerPolicy
from constructs_lib.container_environment import ContainerEnvironment
from constructs_lib.endpoint_metrics import EndpointMetrics
from constructs_lib.image_source import ImageSource
from constructs_lib.inference_endpoint import InferenceEndpoint
from constructs_lib.pinned_image import PinnedImage
from constructs_lib.production_variant import ProductionVariant
from constructs_lib.unverified_hub_model import UnverifiedHubModel
from constructs_lib.wanted_answer import WantedAnswer
from stacks.endpoint_stack import EndpointStack


class ChatStack(EndpointStack):
    """The chat endpoint: the deep learning container for llama.cpp, as published."""

    def __init__(self, scope: Construct, construct_id: str, *, settings: Settings) -> None:
        """Compose the stack."""
        hub = settings.chat.hub_model
        description = "Chat endpoint, model UNVERIFIED" if hub else "Chat endpoint"
        super().__init__(scope, construct_id, settings=settings, description=description)
        model = UnverifiedHubModel(hub.repository, hub.file) if hub else self.verified_model()
        pin = settings.images.chat
        source = ImageSource.deep_learning_container(
            self, name=pin.repository, registry_account=settings.environment.registry_account
        )
        image = PinnedImage(
            self,
            "PinnedImage",
            source=source,
            reference=pin.digest,
            platform=pin.of_kind.platform,
            logs=self.logs,
        )
        endpoint = InferenceEndpoint(
            self,
            "InferenceEndpoint",
            model=model,
            image=image,
            environment=ContainerEnvironment.of_chat(settings.model, settings.chat),
            variant=ProductionVariant(settings.chat),
            encryption_key=self.key,
            logs=self.endpoint_log,
            network=settings.network,
        )
        # The published container has no metric of its own; of SageMaker's this one counts no client's mistake.
        errors = EndpointMetrics(endpoint.endpoint_name).of_invocations("Invocation5XXErrors", "Sum")
        self.operate(endpoint, settings.chat, engine_errors=errors)
        bearer_tokens = bool(settings.callers and settings.callers.bearer_tokens)
        policy = CallerPolicy(self, "CallerPolicy", endpoint=endpoint, streaming=True, bearer_tokens=bearer_tokens)
        self.export_caller_policy(policy)
        self.finish(endpoint, image, model, WantedAnswer.of_chat(settings.model, settings.chat))
