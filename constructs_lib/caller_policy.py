from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib import nag
from constructs_lib.inference_endpoint import InferenceEndpoint


class CallerPolicy(Construct):
    """What whoever calls an endpoint needs, and nothing else; attached by those who own the callers' roles.

    Attributes:
        policy: The managed policy.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoint: InferenceEndpoint,
        streaming: bool = False,
        bearer_tokens: bool = False,
    ) -> None:
        """Create the policy.

        Args:
            scope: The parent.
            construct_id: The id below it.
            endpoint: The one endpoint that may be called.
            streaming: Whether answers may be taken as a stream.
            bearer_tokens: Whether requests may carry a bearer token instead of a signature, as OpenAI's clients do.
        """
        super().__init__(scope, construct_id)
        self.policy = iam.ManagedPolicy(self, "Policy")
        endpoint.grant_invoke(self.policy, streaming=streaming)
        if bearer_tokens:
            action = "sagemaker:CallWithBearerToken"
            self.policy.add_statements(iam.PolicyStatement(actions=[action], resources=["*"]))
            nag.acknowledge_action_without_resource(self.policy, action)
