"""What moto leaves out where it deletes an endpoint: the instances end."""

from typing import Any

from moto.core.responses import ActionResult
from moto.sagemaker.responses import SageMakerResponse

from local_aws.emulator.endpoint_fleet import EndpointFleet


def register(fleet: EndpointFleet) -> None:
    """Let DeleteEndpoint end the process of the endpoint, whoever calls it; CloudFormation is not the only one."""
    known = SageMakerResponse.delete_endpoint

    def delete_endpoint(self: Any) -> ActionResult:  # noqa: ANN401 -- moto's responses carry no types
        answer: ActionResult = known(self)
        fleet.remove(self._get_param("EndpointName"))
        return answer

    SageMakerResponse.delete_endpoint = delete_endpoint
