from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from config.access import Network
from config.rules import ConfigurationError
from constructs_lib.container_environment import ContainerEnvironment
from constructs_lib.log_group import EncryptedLogGroup, LogSettings
from constructs_lib.model_network import ModelNetwork
from constructs_lib.pinned_image import PinnedImage
from constructs_lib.production_variant import ProductionVariant
from constructs_lib.unverified_hub_model import UnverifiedHubModel
from constructs_lib.verified_model import VerifiedModel


class InferenceEndpoint(Construct):
    """A SageMaker endpoint that runs a verified model in a pinned image, without network access.

    An unverified one of the hub has to be said in as many words, and gets the network it needs.

    Attributes:
        endpoint: The endpoint.
        endpoint_name: Its name, as text: whoever uses it need not wait for the endpoint.
        config: Its configuration.
        model: What the configuration runs.
        role: The execution role: reads this model, pulls this image, writes this endpoint's log.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        model: VerifiedModel | UnverifiedHubModel,
        image: PinnedImage,
        environment: ContainerEnvironment,
        variant: ProductionVariant,
        encryption_key: kms.IKey,
        logs: LogSettings,
        network: Network | None = None,
    ) -> None:
        """Create role, model, configuration and endpoint.

        Args:
            scope: The parent.
            construct_id: The id below it.
            model: The model data.
            image: The container.
            environment: Its variables.
            variant: Where it runs; also names the endpoint.
            encryption_key: Encrypts the volumes, on machines whose disks are not encrypted by hardware.
            logs: Key and retention of the endpoint's log.
            network: The VPC its instances are attached to, if any. An isolated container reaches nothing in it either.

        Raises:
            ConfigurationError: The environment asks for a download and the model is a verified one, or the reverse.
        """
        super().__init__(scope, construct_id)
        if environment.downloads == model.isolated:
            raise ConfigurationError("a model of the hub, and only that, is named in the container's environment.")
        self.endpoint_name = name = variant.hosting.endpoint_name
        # SageMaker writes to this name. Made here, so that it has a key and a retention.
        log = EncryptedLogGroup(self, "Log", settings=logs, log_group_name=f"/aws/sagemaker/Endpoints/{name}")
        self.role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("sagemaker.amazonaws.com"))
        model.grant_read(self.role)
        image.grant_pull(self.role)
        # As documented. The log group is there already, but nothing says that SageMaker looks before it creates one.
        actions = ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"]
        self.role.add_to_policy(iam.PolicyStatement(actions=actions, resources=[log.log_group.log_group_arn]))
        volume_key = encryption_key if variant.allows_volume_key else None
        if volume_key:
            self._grant_volumes(volume_key)
        attachment = ModelNetwork(network) if network else None
        if attachment:
            attachment.grant_attach(self.role)
        container = sagemaker.CfnModel.ContainerDefinitionProperty(
            image=image.uri, environment=dict(environment.variables), **model.model_data
        )
        self.model = sagemaker.CfnModel(
            self,
            "Model",
            execution_role_arn=self.role.role_arn,
            primary_container=container,
            enable_network_isolation=model.isolated,
            vpc_config=attachment.vpc_config if attachment else None,
        )
        # Nothing else orders the model after the role's policies, and SageMaker tries them when it creates the model.
        self.model.node.add_dependency(self.role)
        # Model and configuration have no names: each change replaces them, and a name can be taken only once.
        self.config = sagemaker.CfnEndpointConfig(
            self,
            "Config",
            production_variants=[variant.of_model(self.model.attr_model_name)],
            kms_key_id=volume_key.key_arn if volume_key else None,
        )
        self.endpoint = sagemaker.CfnEndpoint(
            self, "Endpoint", endpoint_name=name, endpoint_config_name=self.config.attr_endpoint_config_name
        )
        self.endpoint.node.add_dependency(log)
        if isinstance(model, UnverifiedHubModel):
            model.mark(self)

    def grant_invoke(self, grantee: iam.IGrantable, *, streaming: bool = False) -> iam.Grant:
        """Allow to call this endpoint and no other.

        Args:
            grantee: A role, user or policy.
            streaming: Whether answers may be taken as a stream.
        """
        actions = ["sagemaker:InvokeEndpoint", *(["sagemaker:InvokeEndpointWithResponseStream"] if streaming else [])]
        return iam.Grant.add_to_principal(grantee=grantee, actions=actions, resource_arns=[self.endpoint.ref])

    def _grant_volumes(self, key: kms.IKey) -> None:
        """Allow what an encrypted volume needs: a grant on the key for the service that attaches the volume.

        https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateEndpointConfig.html#sagemaker-CreateEndpointConfig-request-KmsKeyId
        """
        for_services = {"Bool": {"kms:GrantIsForAWSResource": "true"}}
        self.role.add_to_policy(
            iam.PolicyStatement(actions=["kms:CreateGrant"], resources=[key.key_arn], conditions=for_services)
        )
