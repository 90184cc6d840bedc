from dataclasses import replace

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from config.hosting import Hosting
from config.settings import Settings
from constructs_lib.caller_policy import CallerPolicy
from constructs_lib.checked_endpoint import CheckedEndpoint
from constructs_lib.deployment_guardrails import DeploymentGuardrails
from constructs_lib.endpoint_scaling import EndpointScaling
from constructs_lib.inference_endpoint import InferenceEndpoint
from constructs_lib.log_group import LogSettings
from constructs_lib.pinned_image import PinnedImage
from constructs_lib.unverified_hub_model import UnverifiedHubModel
from constructs_lib.verified_model import VerifiedModel
from constructs_lib.wanted_answer import WantedAnswer
from stacks.environment_stack import EnvironmentStack


class EndpointStack(EnvironmentStack):
    """What the stacks of both endpoints have in common: the verified model, keys, logs and outputs.

    Attributes:
        key: The data key.
        logs: Key and retention of every handler's log.
        endpoint_log: The same of the endpoint's own, which outlives its stack where data is retained.
    """

    def __init__(self, scope: Construct, construct_id: str, *, settings: Settings, description: str) -> None:
        """Compose what does not depend on the kind of endpoint."""
        super().__init__(scope, construct_id, settings=settings, description=description)
        self.key = self.artifacts.key(self)
        protection = settings.protection
        self.logs = LogSettings(self.key, protection.log_retention_days)
        self.endpoint_log = replace(self.logs, survives_stack=protection.retain_data)

    def verified_model(self) -> VerifiedModel:
        """Verify the pinned model in this stack."""
        return VerifiedModel(
            self,
            "VerifiedModel",
            pin=self.settings.model,
            bucket=self.artifacts.bucket(self),
            encryption_key=self.key,
            logs=self.logs,
        )

    def operate(self, endpoint: InferenceEndpoint, hosting: Hosting, *, engine_errors: cloudwatch.Metric) -> None:
        """Let the endpoint's fleet be replaced and scaled as its settings say."""
        if hosting.guardrails:
            DeploymentGuardrails(
                self,
                "DeploymentGuardrails",
                endpoint=endpoint,
                engine_errors=engine_errors,
                guardrails=hosting.guardrails,
            )
        if hosting.scaling:
            EndpointScaling(self, "EndpointScaling", endpoint=endpoint, scaling=hosting.scaling)

    def export_caller_policy(self, callers: CallerPolicy) -> None:
        """Share the policy with the stacks of those who call the endpoint."""
        name = f"{self.stack_name}-CallerPolicyArn"
        cdk.CfnOutput(self, "CallerPolicyArn", value=callers.policy.managed_policy_arn, export_name=name)

    def finish(
        self,
        endpoint: InferenceEndpoint,
        image: PinnedImage,
        model: VerifiedModel | UnverifiedHubModel,
        answer: WantedAnswer,
    ) -> None:
        """Check the endpoint after everything else, and tell operators what runs."""
        checked = CheckedEndpoint(self, "CheckedEndpoint", endpoint=endpoint, answer=answer, logs=self.logs)
        unverified = "UNVERIFIED: " if isinstance(model, UnverifiedHubModel) else ""
        cdk.CfnOutput(self, "Serves", value=f"{unverified}{checked.serves}")
        cdk.CfnOutput(self, "EndpointName", value=endpoint.endpoint.attr_endpoint_name)
        cdk.CfnOutput(self, "ImageUri", value=image.uri)
        if isinstance(model, UnverifiedHubModel):
            cdk.CfnOutput(self, "Model", value=model.sentence)
        else:
            cdk.CfnOutput(self, "ModelDataUrl", value=model.data_url)
            cdk.CfnOutput(self, "GgufSha256", value=model.gguf_sha256)
            cdk.CfnOutput(self, "ModelProof", value=model.proof)
            if model.archive_sha256:
                cdk.CfnOutput(self, "ArchiveSha256", value=model.archive_sha256)
