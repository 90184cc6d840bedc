from typing import Final

from aws_cdk import aws_applicationautoscaling as autoscaling
from constructs import Construct

from config.scaling import Scaling
from constructs_lib.inference_endpoint import InferenceEndpoint
from constructs_lib.production_variant import VARIANT_NAME

# Service Auto Scaling's names.
_METRICS: Final = {
    "concurrent_requests_per_model": "SageMakerVariantConcurrentRequestsPerModelHighResolution",
    "invocations_per_instance": "SageMakerVariantInvocationsPerInstance",
}


class EndpointScaling(Construct):
    """An endpoint whose number of instances follows its load, and which keeps that number when it is updated.

    Attributes:
        target: The endpoint's variant, registered to be scaled.
        policy: What the number of instances follows.
    """

    def __init__(self, scope: Construct, construct_id: str, *, endpoint: InferenceEndpoint, scaling: Scaling) -> None:
        """Register the endpoint's variant after the endpoint, and take it off before.

        Args:
            scope: The parent.
            construct_id: The id below it.
            endpoint: The endpoint.
            scaling: Metric, target, bounds and cooldowns.
        """
        super().__init__(scope, construct_id)
        # Otherwise every deployment would set the fleet back to its initial size.
        endpoint.endpoint.retain_all_variant_properties = True
        self.target = autoscaling.CfnScalableTarget(
            self,
            "Target",
            service_namespace="sagemaker",
            scalable_dimension="sagemaker:variant:DesiredInstanceCount",
            resource_id=f"endpoint/{endpoint.endpoint.attr_endpoint_name}/variant/{VARIANT_NAME}",
            min_capacity=scaling.min_instance_count,
            max_capacity=scaling.max_instance_count,
        )
        self.target.node.add_dependency(endpoint.endpoint)
        self.policy = autoscaling.CfnScalingPolicy(
            self,
            "Policy",
            # Required, and taken within this target only.
            policy_name="TargetTracking",
            policy_type="TargetTrackingScaling",
            scaling_target_id=self.target.ref,
            target_tracking_scaling_policy_configuration=autoscaling.CfnScalingPolicy.TargetTrackingScalingPolicyConfigurationProperty(
                predefined_metric_specification=autoscaling.CfnScalingPolicy.PredefinedMetricSpecificationProperty(
                    predefined_metric_type=_METRICS[scaling.metric]
                ),
                target_value=scaling.target_value,
                scale_in_cooldown=scaling.scale_in_cooldown_seconds,
                scale_out_cooldown=scaling.scale_out_cooldown_seconds,
            ),
        )
