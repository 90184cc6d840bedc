"""Who a benchmark asks: an environment's decision endpoint, or a container by its URL."""

from dataclasses import dataclass
from pathlib import Path

from config.loader import load
from config.rules import ConfigurationError
from config.settings import Settings
from decision_client.http_transport import HttpTransport
from decision_client.sagemaker_transport import SageMakerTransport
from decision_client.transport import Transport
from evidence.autoscaling import ScalingTarget
from ops.evidence.fleet import ScaledEndpoint
from ops.services import Services


@dataclass(frozen=True)
class Target:
    """A way to it, and what it is called in the results.

    Attributes:
        name: What results say of it.
        transport: The way.
        together: Most decisions that it takes in one request.
        scaled: What scales it, if anything does.
    """

    name: str
    transport: Transport
    together: int = 8  # the container's own default: of a URL nothing else is known
    scaled: ScalingTarget | None = None


def recorded_name(settings: Settings) -> str:
    """Return what an environment is called in the results of a run that asked it."""
    return f"{settings.environment.name}: {settings.decision.endpoint_name}"


def target(text: str, environments_directory: Path) -> Target:
    """Return the target that a command's argument names.

    Raises:
        ConfigurationError: It is neither an environment nor a URL that can be asked.
    """
    if "://" in text:
        try:
            return Target(text, HttpTransport(text))
        except ValueError as error:
            raise ConfigurationError(f"TARGET: {error}") from None
    settings = load(text, environments_directory)
    region, name = settings.environment.region, settings.decision.endpoint_name
    scaling = settings.decision.scaling
    scaled = ScaledEndpoint(Services.of_region(region).sagemaker, name, scaling) if scaling else None
    together = settings.decision.limits.max_shared_decisions
    return Target(recorded_name(settings), SageMakerTransport(name, region=region), together, scaled)
