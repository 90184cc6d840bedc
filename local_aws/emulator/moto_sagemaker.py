"""SageMaker's control plane: moto behind a loopback port, with four gaps closed.

moto's list of instance types is years old, it knows no instance pools, and it has no UpdateEndpoint. Who may call it is
decided before it is asked, by the policies of the emulated account.
"""

import threading
from functools import cache
from typing import Any

import boto3
import botocore.session
from moto.core.responses import ActionResult
from moto.core.utils import utcnow
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from moto.sagemaker.exceptions import ValidationError
from moto.sagemaker.models import FakeEndpointConfig
from moto.sagemaker.responses import SageMakerResponse
from werkzeug.serving import make_server

from local_aws.checkout import HOST, REGION
from local_aws.emulator.moto_gate import gated


def start() -> int:
    """Start moto on a free loopback port and return the port; it serves CloudWatch and scaling too."""
    FakeEndpointConfig.validate_production_variants = _validate_production_variants
    SageMakerResponse.update_endpoint = _update_endpoint
    application = gated(DomainDispatcherApplication(create_backend_app))
    server = make_server(HOST, 0, application, threaded=True, request_handler=MotoRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.port


def client(service: str, port: int) -> Any:  # noqa: ANN401 -- boto3 makes the class at run time
    """Return a boto3 client of a service that moto serves."""
    # boto3's overloads take literal service names only.
    clients: Any = boto3
    return clients.client(service, region_name=REGION, endpoint_url=f"http://{HOST}:{port}")


@cache
def known_instance_types() -> frozenset[str]:
    """Return the instance types of SageMaker's own API model."""
    shape: Any = (
        botocore.session.get_session().get_service_model("sagemaker").shape_for("ProductionVariantInstanceType")
    )
    return frozenset(shape.enum)


def _validate_production_variants(_: object, variants: list[dict[str, Any]]) -> None:
    for variant in variants:
        if ("InstanceType" in variant) == ("InstancePools" in variant):
            raise ValidationError(message="A production variant has either InstanceType or InstancePools.")
        for pool in variant.get("InstancePools") or [variant]:
            if pool["InstanceType"] not in known_instance_types():
                raise ValidationError(message=f"InstanceType {pool['InstanceType']!r} is not one SageMaker knows.")


def _update_endpoint(self: Any) -> ActionResult:  # noqa: ANN401 -- moto's responses carry no types
    name, config_name = self._get_param("EndpointName"), self._get_param("EndpointConfigName")
    backend = self.sagemaker_backend
    arn = backend.describe_endpoint(name)["EndpointArn"]
    backend.describe_endpoint_config(config_name)
    endpoint = backend.endpoints[name]
    endpoint.endpoint_config_name = config_name
    endpoint.last_modified_time = utcnow()
    return ActionResult({"EndpointArn": arn})
