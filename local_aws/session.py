"""A running embedded AWS: what commands and clients need to reach it."""

import os
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

import boto3
from botocore.config import Config

from local_aws import interruption
from local_aws.checkout import REGION, ROOT
from local_aws.emulator_process import EmulatorProcess, close

if TYPE_CHECKING:
    import subprocess

_MOTO_SERVICES: Final = frozenset({"sagemaker", "application-autoscaling", "cloudwatch"})
# ministack's own name for the account's root, whom no policy binds; tests use it to do what nobody may do.
_ROOT: Final = ("test", "test")


class LocalAws:
    """An embedded AWS that is started on entry and gone, with all its processes and folders, on exit."""

    def __init__(self, *, name: str, port: int = 0) -> None:
        self._name, self._port = name, port
        self._running: tuple[EmulatorProcess, subprocess.Popen[str]] | None = None

    def __enter__(self) -> Self:
        try:
            with interruption.held():
                self._running = EmulatorProcess.start(name=self._name, port=self._port, detached=False)
        except KeyboardInterrupt:
            if self._running:
                self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._running
        emulator, process = self._running
        emulator.end()
        close(process)
        self._running = None

    @property
    def address(self) -> "Address":
        """How to reach it."""
        assert self._running
        return Address(self._running[0])


class Address:
    """The way to one running emulator."""

    def __init__(self, emulator: EmulatorProcess) -> None:
        self.emulator = emulator

    def environment(self) -> dict[str, str]:
        """Return the environment for a command line: the operator's key, the addresses, and a home of its own.

        The CDK command line keeps account numbers by access key below its home; jsii's cache stays where it always is.
        """
        emulator = self.emulator
        home = Path(emulator.folder) / "home"
        home.mkdir(exist_ok=True)
        jsii = Path.home() / ".cache" / "aws" / "jsii" / "package-cache"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        return (
            {"JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(jsii)}
            | kept
            | {
                "PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(home),
                "AWS_ACCESS_KEY_ID": emulator.access_key_id,
                "AWS_SECRET_ACCESS_KEY": emulator.secret_access_key,
                "AWS_REGION": REGION,
                "AWS_DEFAULT_REGION": REGION,
                "AWS_EC2_METADATA_DISABLED": "true",
                "AWS_ENDPOINT_URL": emulator.url,
                "AWS_ENDPOINT_URL_SAGEMAKER": emulator.sagemaker_url,
                "AWS_ENDPOINT_URL_APPLICATION_AUTO_SCALING": emulator.sagemaker_url,
                "AWS_ENDPOINT_URL_CLOUDWATCH": emulator.sagemaker_url,
                "AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME": emulator.runtime_url,
                "AWS_CA_BUNDLE": emulator.certificate,
                "NODE_EXTRA_CA_CERTS": emulator.certificate,
                "CDK_DISABLE_CLI_TELEMETRY": "true",
            }
        )

    def client(
        self, service: str, *, root: bool = False, key: tuple[str, str] | None = None, config: Config | None = None
    ) -> Any:  # noqa: ANN401 -- boto3 makes the class
        """Return a boto3 client with the operator's permissions, another key's, or as root, whom no policy binds."""
        emulator = self.emulator
        operator = (emulator.access_key_id, emulator.secret_access_key)
        key_id, secret = _ROOT if root else key or operator
        session = boto3.Session(aws_access_key_id=key_id, aws_secret_access_key=secret, region_name=REGION)
        if service == "sagemaker-runtime":
            url = emulator.runtime_url
        else:
            url = emulator.sagemaker_url if service in _MOTO_SERVICES else emulator.url
        # boto3's overloads take literal service names only.
        clients: Any = session
        return clients.client(service, endpoint_url=url, verify=emulator.certificate, config=config)
