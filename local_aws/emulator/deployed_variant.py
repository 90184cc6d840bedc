"""What DescribeEndpoint tells of a variant that has a process."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DeployedVariant:
    """What a process was started for; one process stands for all instances of its variant."""

    config_name: str
    variant: dict[str, Any]
    image: str

    def described(self) -> dict[str, Any]:
        """Return it in the members of DescribeEndpoint's answer."""
        count, weight = self.variant["InitialInstanceCount"], self.variant["InitialVariantWeight"]
        # An image is started by its digest only, so what was asked for and what it resolved to are one.
        deployed = {"SpecifiedImage": self.image, "ResolvedImage": self.image}
        summary = {
            "VariantName": self.variant["VariantName"],
            "DeployedImages": [deployed],
            "CurrentInstanceCount": count,
            "DesiredInstanceCount": count,
            "CurrentWeight": weight,
            "DesiredWeight": weight,
        }
        if pools := self.variant.get("InstancePools"):
            first = min(pools, key=lambda pool: int(pool["Priority"]))
            summary["InstancePools"] = [{"InstanceType": first["InstanceType"], "CurrentInstanceCount": count}]
        return {"EndpointConfigName": self.config_name, "ProductionVariants": [summary]}
