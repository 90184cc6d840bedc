import botocore.session
import pytest
from botocore.exceptions import ParamValidationError
from botocore.validate import validate_parameters
from hypothesis import given
from hypothesis import strategies as st

from local_aws.emulator.shape_casting import cast

SAGEMAKER = botocore.session.get_session().get_service_model("sagemaker")
CONFIG = SAGEMAKER.shape_for("CreateEndpointConfigInput")


def _variant(**values: object) -> dict[str, object]:
    variant = {"VariantName": "AllTraffic", "ModelName": "m", "InstanceType": "ml.c6i.large", **values}
    return {"EndpointConfigName": "c", "ProductionVariants": [variant]}


@given(st.integers(60, 3600))
def test_number_as_text_becomes_the_number_the_api_wants(seconds: int) -> None:
    """CloudFormation's text for a number passes the service model's own validation after casting, and only then."""
    given_text = _variant(ContainerStartupHealthCheckTimeoutInSeconds=str(seconds), InitialVariantWeight="1.5")

    validate_parameters(cast(given_text, CONFIG), CONFIG)

    with pytest.raises(ParamValidationError, match="Invalid type"):
        validate_parameters(given_text, CONFIG)


@pytest.mark.parametrize(("text", "value"), [("true", True), ("false", False), ("True", True)])
def test_boolean_as_text_becomes_a_boolean(text: str, *, value: bool) -> None:
    """CloudFormation's text for a boolean becomes one."""
    cast_value = cast(_variant(EnableSSMAccess=text), CONFIG)

    assert value is cast_value["ProductionVariants"][0]["EnableSSMAccess"]


@pytest.mark.rule(
    "a property that SageMaker's API does not know fails the deployment",
    tool="botocore's SageMaker service model",
    emulated="",
)
def test_unknown_property_is_kept_for_the_service_model_to_refuse() -> None:
    """A misspelt property is not dropped: the service model refuses it by name."""
    with pytest.raises(ParamValidationError, match="InstanceTipe"):
        validate_parameters(cast(_variant(InstanceTipe="x"), CONFIG), CONFIG)
