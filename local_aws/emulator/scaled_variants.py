"""What SageMaker refuses while a variant is registered for scaling: another instance type, or the variant's removal.

https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-auto-scaling-update.html
"""

from typing import Any


class VariantScaledError(RuntimeError):
    """An update would change the machines of a variant that is scaled."""


def refuse_other_machines(sagemaker: Any, scaling: Any, endpoint_name: str, config_name: str) -> None:  # noqa: ANN401 -- boto3 makes the classes
    """Compare an endpoint's scaled variants with those of the configuration it is to get.

    Raises:
        VariantScaledError: One of them would run on other machines, or not at all.
    """
    prefix = f"endpoint/{endpoint_name}/variant/"
    targets = scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"]
    scaled = {target["ResourceId"].removeprefix(prefix) for target in targets if prefix in target["ResourceId"]}
    current = _machines(sagemaker, sagemaker.describe_endpoint(EndpointName=endpoint_name)["EndpointConfigName"])
    future = _machines(sagemaker, config_name)
    for variant in sorted(scaled):
        if current.get(variant) != future.get(variant):
            raise VariantScaledError(
                f"Endpoint {endpoint_name} failed: variant {variant} is registered for scaling, and its instance type "
                "can be changed only after it was deregistered."
            )


def _machines(sagemaker: Any, config_name: str) -> dict[str, list[str]]:  # noqa: ANN401 -- as above
    variants = sagemaker.describe_endpoint_config(EndpointConfigName=config_name)["ProductionVariants"]
    return {
        variant["VariantName"]: sorted(each["InstanceType"] for each in variant.get("InstancePools") or [variant])
        for variant in variants
    }
