"""What an endpoint runs, followed from its name: configuration, model, image and model data."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from config.settings import Settings

if TYPE_CHECKING:
    from types_boto3_sagemaker import SageMakerClient

Kind = Literal["chat", "decision"]
KINDS: tuple[Kind, ...] = ("chat", "decision")
IN_SERVICE = "InService"


@dataclass(frozen=True)
class Deployed:
    """One endpoint; addresses as SageMaker has them."""

    name: str
    status: str
    failure: str
    config_name: str
    model_name: str
    image_uri: str
    model_url: str

    def runs_key(self, url: str) -> bool:
        """Tell whether the model data is that of a key: the object itself, or the folder that it lies in."""
        folder = self.model_url.endswith("/")
        return self.model_url == (url.rpartition("/")[0] + "/" if folder else url)

    @property
    def image_digest(self) -> str:
        """The image's digest, or nothing where the model names a tag."""
        return self.image_uri.partition("@")[2]


def endpoint_name(settings: Settings, kind: Kind) -> str:
    """Return the name that the settings give an endpoint."""
    return settings.chat.endpoint_name if kind == "chat" else settings.decision.endpoint_name


def deployed(sagemaker: "SageMakerClient", name: str) -> Deployed:
    """Follow an endpoint to what it runs.

    Raises:
        botocore.exceptions.ClientError: A link is not there, or the caller may not look.
    """
    endpoint = sagemaker.describe_endpoint(EndpointName=name)
    config = sagemaker.describe_endpoint_config(EndpointConfigName=endpoint["EndpointConfigName"])
    model = sagemaker.describe_model(ModelName=config["ProductionVariants"][0].get("ModelName", ""))
    container = model.get("PrimaryContainer", {})
    source = container.get("ModelDataSource", {}).get("S3DataSource", {})
    return Deployed(
        name=name,
        status=endpoint["EndpointStatus"],
        failure=endpoint.get("FailureReason", ""),
        config_name=config["EndpointConfigName"],
        model_name=model["ModelName"],
        image_uri=container.get("Image", ""),
        model_url=container.get("ModelDataUrl", "") or source.get("S3Uri", ""),
    )
