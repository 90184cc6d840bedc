from dataclasses import dataclass
from typing import Any

import pytest

from local_aws.emulator.scaled_variants import VariantScaledError, refuse_other_machines


@dataclass
class FakeScaling:
    """Application Auto Scaling with the given endpoint's variant registered, or nothing."""

    registered: str = ""

    def describe_scalable_targets(self, *, ServiceNamespace: str) -> dict[str, Any]:  # noqa: N803 -- boto3's name
        """Return what is registered."""
        assert ServiceNamespace == "sagemaker"
        return {"ScalableTargets": [{"ResourceId": f"endpoint/{self.registered}/variant/AllTraffic"}]}


class FakeSageMaker:
    """SageMaker with one endpoint on the configuration "now"."""

    configs: dict[str, list[dict[str, Any]]] = {  # noqa: RUF012 -- never changed
        "now": [{"VariantName": "AllTraffic", "InstanceType": "ml.c6i.large"}],
        "same": [{"VariantName": "AllTraffic", "InstanceType": "ml.c6i.large", "ModelName": "other"}],
        "other": [{"VariantName": "AllTraffic", "InstanceType": "ml.c6i.xlarge"}],
        "pool": [{"VariantName": "AllTraffic", "InstancePools": [{"InstanceType": "ml.c6i.xlarge", "Priority": 1}]}],
        "renamed": [{"VariantName": "Other", "InstanceType": "ml.c6i.large"}],
    }

    def describe_endpoint(self, *, EndpointName: str) -> dict[str, Any]:  # noqa: N803 -- boto3's name
        """Return the endpoint."""
        return {"EndpointName": EndpointName, "EndpointConfigName": "now"}

    def describe_endpoint_config(self, *, EndpointConfigName: str) -> dict[str, Any]:  # noqa: N803 -- boto3's name
        """Return a configuration."""
        return {"ProductionVariants": self.configs[EndpointConfigName]}


@pytest.mark.parametrize("config", ["other", "pool", "renamed"])
def test_scaled_variant_keeps_its_machines(config: str) -> None:
    """Another type, a pool instead of one, and another variant are refused while the variant is registered."""
    with pytest.raises(VariantScaledError, match="AllTraffic is registered for scaling"):
        refuse_other_machines(FakeSageMaker(), FakeScaling("mine"), "mine", config)


@pytest.mark.parametrize(
    ("registered", "config"), [("mine", "same"), ("", "other"), ("another", "pool"), ("not-mine", "renamed")]
)
def test_everything_else_may_change(registered: str, config: str) -> None:
    """A scaled variant gets another model, and one that is not scaled other machines."""
    refuse_other_machines(FakeSageMaker(), FakeScaling(registered), "mine", config)
