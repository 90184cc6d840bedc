"""The instances of a deployed endpoint, as autoscaling moves them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from evidence.autoscaling import Fleet, Metric

if TYPE_CHECKING:
    from types_boto3_sagemaker import SageMakerClient

    from config.scaling import Scaling


@dataclass(frozen=True)
class ScaledEndpoint:
    """An endpoint of one variant, and what its scaling keeps each instance at."""

    sagemaker: "SageMakerClient"
    name: str
    scaling: "Scaling"

    @property
    def metric(self) -> Metric:
        """What is measured."""
        return self.scaling.metric

    @property
    def value(self) -> float:
        """What each instance is meant to have of it."""
        return self.scaling.target_value

    def fleet(self) -> Fleet | None:
        """Return the fleet as SageMaker describes it; None where it does not at the moment."""
        try:
            (variant,) = self.sagemaker.describe_endpoint(EndpointName=self.name)["ProductionVariants"]
            return Fleet(variant["CurrentInstanceCount"], variant["DesiredInstanceCount"])
        except (BotoCoreError, ClientError, KeyError, ValueError):
            return None
