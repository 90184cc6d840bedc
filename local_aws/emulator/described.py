"""What moto leaves out where it describes a model or an endpoint: what the model asked for, and what really runs."""

from typing import Any

from moto.core.responses import ActionResult
from moto.sagemaker.responses import SageMakerResponse

from local_aws.emulator.endpoint_fleet import EndpointFleet


def register(fleet: EndpointFleet) -> None:
    """Let DescribeModel tell the network isolation, and DescribeEndpoint what the fleet's process was started for."""
    known_create_model = SageMakerResponse.create_model

    def create_model(self: Any) -> ActionResult:  # noqa: ANN401 -- moto's responses carry no types
        answer: ActionResult = known_create_model(self)
        model = self.sagemaker_backend.describe_model(self._get_param("ModelName"))
        model.enable_network_isolation = bool(self._get_param("EnableNetworkIsolation"))
        return answer

    def describe_endpoint(self: Any) -> ActionResult:  # noqa: ANN401 -- as above
        name = self._get_param("EndpointName")
        record = self.sagemaker_backend.describe_endpoint(name)
        return ActionResult({**record, **fleet.described(name)})

    SageMakerResponse.create_model = create_model
    SageMakerResponse.describe_endpoint = describe_endpoint
