"""The emulator's parts, wired together."""

import asyncio
import os
import socket
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path

from hypercorn.asyncio import serve
from hypercorn.config import Config
from ministack.app import app

from local_aws.checkout import HOST
from local_aws.emulator import (
    authorization,
    cloudwatch_types,
    deleted_endpoints,
    described,
    dropped_properties,
    image_scans,
    invocation_gate,
    layer_addresses,
    missing_images,
    moto_sagemaker,
    private_names,
    resource_types,
    sagemaker_types,
    scaling_types,
    taken_log_groups,
)
from local_aws.emulator.build_service import BuildService
from local_aws.emulator.endpoint_fleet import EndpointFleet
from local_aws.emulator.endpoint_type import endpoint_type
from local_aws.emulator.image_registry import ImageRegistry
from local_aws.emulator.invoke_proxy import InvokeProxy
from local_aws.emulator.seed import seed


class Emulator:
    """Everything that listens or runs in this process."""

    def __init__(self, server: socket.socket, certificate: Path, key: Path, folder: Path) -> None:
        self._server, self._certificate, self._key = server, certificate, key
        self._url = f"https://{HOST}:{server.getsockname()[1]}"
        private_names.check()
        registry = ImageRegistry(self._url, str(certificate))
        self._sagemaker_port = moto_sagemaker.start()
        sagemaker = moto_sagemaker.client("sagemaker", self._sagemaker_port)
        scaling = moto_sagemaker.client("application-autoscaling", self._sagemaker_port)
        cloudwatch = moto_sagemaker.client("cloudwatch", self._sagemaker_port)
        self._registry = registry
        self._fleet = EndpointFleet(sagemaker, registry, folder)
        self._builds = BuildService(registry, folder)
        authorization.register()
        described.register(self._fleet)
        deleted_endpoints.register(self._fleet)
        missing_images.register()
        layer_addresses.register(self._url)
        image_scans.register(folder)
        dropped_properties.register()
        taken_log_groups.register()
        self._builds.register()
        resource_types.register(
            [
                *sagemaker_types.types(sagemaker),
                *scaling_types.types(scaling),
                *cloudwatch_types.types(cloudwatch),
                endpoint_type(sagemaker, scaling, self._fleet),
            ]
        )
        InvokeProxy.fleet, InvokeProxy.authorize = self._fleet, invocation_gate.authorize
        self._proxy = ThreadingHTTPServer((HOST, 0), InvokeProxy)

    def start(self) -> dict[str, object]:
        """Serve, fill the account, and return the addresses and the operator's access key."""
        # The emulator's own clients and its Lambda functions find it where everybody else does.
        sagemaker, runtime = (f"http://{HOST}:{port}" for port in (self._sagemaker_port, self._proxy.server_address[1]))
        os.environ.update(
            AWS_ENDPOINT_URL=self._url,
            AWS_ENDPOINT_URL_SAGEMAKER=sagemaker,
            AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME=runtime,
        )
        config = Config()
        config.bind = [f"fd://{self._server.fileno()}"]
        config.certfile, config.keyfile = str(self._certificate), str(self._key)
        config.accesslog = None
        never = asyncio.Event()
        coroutine = serve(app, config, shutdown_trigger=never.wait)
        threading.Thread(target=asyncio.run, args=(coroutine,), daemon=True).start()
        threading.Thread(target=self._proxy.serve_forever, daemon=True).start()
        operator = seed(self._registry)
        return {
            "pid": os.getpid(),
            "url": self._url,
            "sagemaker_url": sagemaker,
            "runtime_url": runtime,
            "certificate": str(self._certificate),
            **operator,
        }

    def stop(self) -> None:
        """End builds and endpoint processes."""
        self._builds.stop()
        self._fleet.stop()
