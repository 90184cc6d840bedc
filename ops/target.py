"""Whom a command asks: a deployed environment's decision endpoint, or a bare container by its URL."""

from pathlib import Path
from typing import Annotated, Final

import typer

from config.loader import load
from config.rules import ConfigurationError
from decision_client.http_transport import HttpTransport
from decision_client.sagemaker_transport import SageMakerTransport
from decision_client.transport import Transport

Target = Annotated[
    str, typer.Argument(metavar="TARGET", help="An environment, or a container's URL such as http://127.0.0.1:8080.")
]
_SCHEMES: Final = ("http://", "https://")


def transport_to(target: str, environments_directory: Path) -> Transport:
    """Return the way to a target.

    Raises:
        ConfigurationError: There is no such environment, or the URL is none.
        botocore.exceptions.BotoCoreError: Nothing says in which region it is.
    """
    if target.startswith(_SCHEMES):
        try:
            return HttpTransport(target)
        except ValueError as error:
            raise ConfigurationError(f"TARGET: {error}") from None
    settings = load(target, environments_directory)
    return SageMakerTransport(settings.decision.endpoint_name, region=settings.environment.region)
