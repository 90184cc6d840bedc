from dataclasses import dataclass

from aws_cdk import aws_sagemaker as sagemaker

from config.hosting import Hosting

VARIANT_NAME = "AllTraffic"


@dataclass(frozen=True)
class ProductionVariant:
    """The one variant of an endpoint, on the machines that checked settings describe."""

    hosting: Hosting

    @property
    def allows_volume_key(self) -> bool:
        """Whether SageMaker accepts a volume key: not where the disk is local NVMe, which the hardware encrypts."""
        return not any(member.has_local_nvme for member in self.hosting.instance_types)

    def of_model(self, model_name: str) -> sagemaker.CfnEndpointConfig.ProductionVariantProperty:
        """Return the variant's properties; pools, where there are any, replace the instance type."""
        hosting = self.hosting
        pools = [
            sagemaker.CfnEndpointConfig.InstancePoolProperty(instance_type=pool.instance_type, priority=pool.priority)
            for pool in hosting.instance_pools
        ]
        return sagemaker.CfnEndpointConfig.ProductionVariantProperty(
            variant_name=VARIANT_NAME,
            model_name=model_name,
            initial_variant_weight=1,
            initial_instance_count=hosting.initial_instance_count,
            instance_type=hosting.instance_type,
            instance_pools=pools or None,
            variant_instance_provision_timeout_in_seconds=hosting.variant_instance_provision_timeout_seconds,
            inference_ami_version=hosting.inference_ami_version,
            container_startup_health_check_timeout_in_seconds=hosting.startup_health_check_timeout_seconds,
            model_data_download_timeout_in_seconds=hosting.model_data_download_timeout_seconds,
        )
