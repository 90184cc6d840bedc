import json
from collections.abc import Mapping
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.inference_endpoint import InferenceEndpoint
from constructs_lib.log_group import LogSettings
from constructs_lib.resource_provider import HandlerSize, ResourceProvider
from constructs_lib.verification import Verification
from constructs_lib.wanted_answer import WantedAnswer

# A check takes seconds; the rest is for an endpoint that is not ready at first, or busy.
_SIZE = HandlerSize(timeout_minutes=15, memory_mib=256)


class CheckedEndpoint(Construct):
    """An endpoint that runs what its stack asked for and answers a known question as pinned, after everything else.

    Make it last: it waits for everything that its stack holds when it is made. It creates nothing; the deployment
    fails, and goes back to the configuration before it, where the endpoint is not what the template says.

    Attributes:
        serves: One line that says what answered, known once it is checked.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoint: InferenceEndpoint,
        answer: WantedAnswer,
        logs: LogSettings,
    ) -> None:
        """Check the endpoint.

        Args:
            scope: The stack.
            construct_id: The id below it.
            endpoint: What is checked.
            answer: What it must answer.
            logs: Key and retention of the handler's logs.
        """
        super().__init__(scope, construct_id)
        provider = ResourceProvider(self, "Provider", handler="check_endpoint", size=_SIZE, logs=logs)
        # Ref is the ARN of all three, so that even the generated names are exact.
        for actions, resource in (
            (["sagemaker:DescribeEndpoint", "sagemaker:InvokeEndpoint"], endpoint.endpoint),
            (["sagemaker:DescribeEndpointConfig"], endpoint.config),
            (["sagemaker:DescribeModel"], endpoint.model),
        ):
            provider.role.add_to_policy(iam.PolicyStatement(actions=actions, resources=[resource.ref]))
        stack = cdk.Stack.of(self)
        verification = Verification(
            self,
            "Resource",
            provider=provider,
            size=_SIZE,
            # All that is asked for is text of these properties, so a change of any of it is a new check.
            properties={
                "EndpointName": endpoint.endpoint.attr_endpoint_name,
                "EndpointConfigName": endpoint.config.attr_endpoint_config_name,
                "EndpointConfig": stack.to_json_string(_properties(endpoint.config)),
                "Model": stack.to_json_string(_properties(endpoint.model)),
                # With it SageMaker keeps the number of instances that scaling arrived at.
                "Scaled": "true" if endpoint.endpoint.retain_all_variant_properties is True else "false",
                "Kind": answer.kind,
                # Not the stack's own JSON, which leaves out what is null, such as a tokenizer that is not pinned.
                "Answer": json.dumps(dict(answer.fields), separators=(",", ":")),
            },
        )
        for sibling in stack.node.children:
            if sibling.node.path != self.node.path:
                verification.node.add_dependency(sibling)
        self.serves = verification.get_att_string("Serves")


def _properties(resource: cdk.CfnResource) -> Mapping[str, Any]:
    """Return a resource's properties as its template will hold them; tags are not described with it."""
    rendered = resource._render_properties(resource._cfn_properties)  # noqa: SLF001 - protected, for subclasses: the one way to see every property, also one that is added tomorrow
    return {name: value for name, value in rendered.items() if name != "Tags"}
