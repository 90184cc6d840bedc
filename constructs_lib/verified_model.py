from collections.abc import Mapping
from typing import Any

from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from config.model import ModelPin
from constructs_lib.log_group import LogSettings
from constructs_lib.resource_provider import HandlerSize, ResourceProvider
from constructs_lib.verification import Verification

# 1769 MiB buy one whole CPU, which hashes and unpacks some 3 GB in 40 to 90 seconds.
_SIZE = HandlerSize(timeout_minutes=15, memory_mib=1769)


class VerifiedModel(Construct):
    """A published model that was compared with its pin during this deployment, whichever way it is packaged.

    It creates nothing: the deployment fails where the model is not what the pin says.

    Attributes:
        isolated: Its container needs no network.
        pin: The model pin.
        data_url: s3:// address of the archive, or the prefix of the files, known only once it is verified.
        gguf_sha256: The digest that was proven, known likewise.
        proof: What proved it, known likewise.
        archive_sha256: The digest of the archive's own bytes, known likewise; None where there is no archive.
    """

    isolated = True

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        pin: ModelPin,
        bucket: s3.IBucket,
        encryption_key: kms.IKey,
        logs: LogSettings,
    ) -> None:
        """Verify what the pin's key names.

        Args:
            scope: The parent.
            construct_id: The id below it.
            pin: What the model must be, and how it is packaged.
            bucket: Where it is published; may be imported.
            encryption_key: The key the bucket's objects are encrypted with.
            logs: Key and retention of the handler's logs.
        """
        super().__init__(scope, construct_id)
        self.pin = pin
        self._bucket_arn = bucket.bucket_arn
        self._object_arns = [bucket.arn_for_objects(key) for key in pin.served_keys]
        self._key_arn = encryption_key.key_arn
        provider = ResourceProvider(self, "Provider", handler="verify_model", size=_SIZE, logs=logs)
        self._grant_objects(provider.role)
        # Without it S3 answers "access denied" for an object that is not there.
        provider.role.add_to_policy(iam.PolicyStatement(actions=["s3:ListBucket"], resources=[bucket.bucket_arn]))
        verification = Verification(
            self,
            "Resource",
            provider=provider,
            size=_SIZE,
            properties={
                "Bucket": bucket.bucket_name,
                "Key": pin.object_key,
                "Packaging": pin.packaging,
                "GgufFile": pin.file,
                "GgufBytes": str(pin.bytes),
                "GgufSha256": pin.sha256,
                "FurtherParts": pin.further_parts,
                "ManifestSha256": pin.manifest_sha256,
            },
        )
        self.data_url = verification.get_att_string("ModelDataUrl")
        self.gguf_sha256 = verification.get_att_string("GgufSha256")
        self.proof = verification.get_att_string("Proof")
        archived = pin.packaging == "archive"
        self.archive_sha256 = verification.get_att_string("ArchiveSha256") if archived else None

    @property
    def model_data(self) -> Mapping[str, Any]:
        """What a container definition says about its model: keywords of ContainerDefinitionProperty."""
        if self.pin.packaging == "archive":
            return {"model_data_url": self.data_url}
        source = sagemaker.CfnModel.S3DataSourceProperty(
            compression_type="None", s3_data_type="S3Prefix", s3_uri=self.data_url
        )
        return {"model_data_source": sagemaker.CfnModel.ModelDataSourceProperty(s3_data_source=source)}

    def grant_read(self, role: iam.Role) -> None:
        """Allow the role to read this model and nothing else.

        Statements, not bucket.grant_read: on an imported bucket a grant can end in a resource policy nobody deploys.
        """
        self._grant_objects(role)
        if self.pin.packaging == "uncompressed":
            # SageMaker looks what lies under the prefix.
            of_prefix = {"StringEquals": {"s3:prefix": self.pin.served_prefix}}
            role.add_to_policy(
                iam.PolicyStatement(actions=["s3:ListBucket"], resources=[self._bucket_arn], conditions=of_prefix)
            )

    def _grant_objects(self, role: iam.Role) -> None:
        role.add_to_policy(iam.PolicyStatement(actions=["s3:GetObject"], resources=self._object_arns))
        role.add_to_policy(iam.PolicyStatement(actions=["kms:Decrypt"], resources=[self._key_arn]))
