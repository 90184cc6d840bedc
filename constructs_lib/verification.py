import hashlib
import json
from collections.abc import Mapping

import aws_cdk as cdk
from constructs import Construct

from constructs_lib.resource_provider import HandlerSize, ResourceProvider


class Verification(cdk.CustomResource):
    """A custom resource that compares something with its pin, and creates nothing.

    Its logical id is made of all that it compares. An update in place would be rolled back by another update, which
    compares again, fails again and leaves the stack in UPDATE_ROLLBACK_FAILED; what is created anew is rolled back by
    a delete, which does nothing.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        provider: ResourceProvider,
        size: HandlerSize,
        properties: Mapping[str, str],
    ) -> None:
        """Compare while the stack is deployed.

        Args:
            scope: What is verified; its class and id name the resource.
            construct_id: The id below it.
            provider: The functions that compare.
            size: Time one comparison may take.
            properties: What is compared with what.
        """
        compared = {**properties, "HandlerVersion": provider.handler_version}
        super().__init__(
            scope,
            construct_id,
            resource_type=f"Custom::{type(scope).__name__}",
            service_token=provider.service_token,
            service_timeout=cdk.Duration.minutes(size.timeout_minutes + 1),
            properties=compared,
        )
        content = json.dumps(cdk.Stack.of(self).resolve(compared), sort_keys=True)
        resource = self.node.default_child
        assert isinstance(resource, cdk.CfnResource)
        resource.override_logical_id(f"{scope.node.id}{hashlib.sha256(content.encode()).hexdigest()[:16]}")
