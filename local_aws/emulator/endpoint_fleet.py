"""The endpoints in service: for each name one container process."""

import tempfile
import threading
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from botocore.exceptions import ClientError

from local_aws import sockets
from local_aws.checkout import ACCOUNT, REGION
from local_aws.emulator import container_process, model_archive, model_data, role_permissions, service_role
from local_aws.emulator.container import ContainerRefusedError, container
from local_aws.emulator.container_process import ContainerProcess
from local_aws.emulator.deployed_variant import DeployedVariant
from local_aws.emulator.image_registry import ImageRefusedError, ImageRegistry

# What SageMaker takes where the variant names none.
DEFAULT_HEALTH_CHECK_SECONDS: Final = 600
_REFUSALS: Final = (
    ClientError,
    ContainerRefusedError,
    ImageRefusedError,
    container_process.UnhealthyError,
    model_archive.ArchiveRefusedError,
    role_permissions.PermissionMissingError,
    service_role.RoleRefusedError,
)


class EndpointFailedError(RuntimeError):
    """No process of the endpoint became healthy; says which endpoint and why."""


class EndpointFleet:
    """Starts and stops the processes that stand in for SageMaker's instances."""

    def __init__(self, sagemaker: Any, registry: ImageRegistry, folder: Path) -> None:  # noqa: ANN401 -- boto3 makes the class
        self._sagemaker, self._registry, self._folder = sagemaker, registry, folder
        self._in_service: dict[str, ContainerProcess] = {}
        self._starting: set[ContainerProcess | None] = set()
        self._started_for: dict[ContainerProcess, DeployedVariant] = {}
        self._lock, self._one_start = threading.Lock(), threading.Lock()

    def start(self, name: str, config_name: str) -> ContainerProcess:
        """Start a process for an endpoint configuration and return it once it is healthy.

        Raises:
            EndpointFailedError: the role, the archive, the image or the process is not what it must be.
        """
        config = self._sagemaker.describe_endpoint_config(EndpointConfigName=config_name)
        variant = config["ProductionVariants"][0]
        model = self._sagemaker.describe_model(ModelName=variant["ModelName"])
        folder = tempfile.TemporaryDirectory(prefix=f"{name}-", dir=self._folder)
        process = None
        try:
            if key := config.get("KmsKeyId"):
                for_service = {"kms:GrantIsForAWSResource": "true"}
                role_permissions.require(model["ExecutionRoleArn"], "kms:CreateGrant", key, for_service)
            timeout = variant.get("ContainerStartupHealthCheckTimeoutInSeconds", DEFAULT_HEALTH_CHECK_SECONDS)
            # One after another: a container measures its machine when it starts, and has one of its own on AWS.
            with self._one_start:
                process = self._start_process(name, variant["VariantName"], model, folder)
                self._starting.add(process)
                process.wait_until_healthy(timeout)
        except _REFUSALS as error:
            if process:
                process.stop()
            folder.cleanup()
            raise EndpointFailedError(f"Endpoint {name} failed: {error}") from error
        finally:
            self._starting -= {process}
        self._started_for[process] = DeployedVariant(config_name, variant, model["PrimaryContainer"]["Image"])
        return process

    def put_in_service(self, name: str, process: ContainerProcess) -> None:
        """Route the endpoint's requests to a healthy process and stop the one that had them."""
        with self._lock:
            replaced = self._in_service.get(name)
            self._in_service[name] = process
        if replaced:
            self._end(replaced)

    def in_service(self, name: str) -> ContainerProcess | None:
        """Return the process that answers for an endpoint, or None where there is no such endpoint."""
        return self._in_service.get(name)

    def remove(self, name: str) -> None:
        """Take an endpoint out of service and stop its process."""
        with self._lock:
            process = self._in_service.pop(name, None)
        if process:
            self._end(process)

    def described(self, name: str) -> dict[str, Any]:
        """Return what DescribeEndpoint tells of the process in service, or nothing where there is none."""
        process = self._in_service.get(name)
        return self._started_for[process].described() if process else {}

    def stop(self) -> None:
        """Stop every process."""
        for process in (*self._in_service.values(), *self._starting):
            if process:
                process.stop()

    def _end(self, process: ContainerProcess) -> None:
        self._started_for.pop(process, None)
        process.stop()

    def _start_process(
        self, name: str, variant: str, model: dict[str, Any], folder: "tempfile.TemporaryDirectory[str]"
    ) -> ContainerProcess:
        definition = model["PrimaryContainer"]
        session = service_role.assume(model["ExecutionRoleArn"], "sagemaker.amazonaws.com")
        labels = self._registry.labels(session, definition["Image"])
        model_folder = Path(folder.name) / "model"
        model_data.fetch(session, definition, model_folder)
        group, stream = f"/aws/sagemaker/Endpoints/{name}", f"{variant}/i-{uuid4().hex[:17]}"
        arn = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{group}:log-stream:{stream}"
        return container_process.start(
            container(labels, definition.get("Environment", {}), model_folder, sockets.free_port()),
            folder,
            logs=session.client("logs"),
            names={"group": group, "stream": stream, "arn": arn},
        )
