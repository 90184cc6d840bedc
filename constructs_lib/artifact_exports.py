from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_ecr as ecr
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from constructs import Construct

from constructs_lib.image_source import ImageSource


@dataclass(frozen=True)
class ArtifactExports:
    """What the artifact stack shares, under names that do not depend on who imports it.

    None of the values changes while its resource lives: CloudFormation refuses to change an export in use, so nothing
    derived from content (a key, a tag, a digest) may ever cross here.
    """

    stack_name: str

    def publish(self, scope: Construct, *, bucket: s3.IBucket, key: kms.IKey, repository: ecr.IRepository) -> None:
        """Create the exports, in the stack that owns the resources."""
        cdk.CfnOutput(scope, "BucketName", value=bucket.bucket_name, export_name=self._name("BucketName"))
        cdk.CfnOutput(scope, "KeyArn", value=key.key_arn, export_name=self._name("KeyArn"))
        name = repository.repository_name
        cdk.CfnOutput(scope, "RepositoryName", value=name, export_name=self._name("RepositoryName"))

    def bucket(self, scope: Construct) -> s3.IBucket:
        """Import the artifact bucket."""
        return s3.Bucket.from_bucket_name(scope, "ArtifactBucket", self._import("BucketName"))

    def key(self, scope: Construct) -> kms.IKey:
        """Import the data key."""
        return kms.Key.from_key_arn(scope, "DataKey", self._import("KeyArn"))

    def image_source(self, scope: Construct) -> ImageSource:
        """Import the repository of decision images."""
        account = cdk.Stack.of(scope).account
        return ImageSource.in_registry(scope, registry_id=account, name=self._import("RepositoryName"))

    def _name(self, value: str) -> str:
        return f"{self.stack_name}-{value}"

    def _import(self, value: str) -> str:
        return cdk.Fn.import_value(self._name(value))
