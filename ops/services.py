"""The clients of one account and region that the operator's commands use."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

import boto3
from botocore.config import Config

from ops.ask import RUNTIME_CONFIG
from ops.pins.hub_token import Secrets

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient
    from types_boto3_codebuild import CodeBuildClient
    from types_boto3_ecr import ECRClient
    from types_boto3_kms import KMSClient
    from types_boto3_s3 import S3Client
    from types_boto3_sagemaker import SageMakerClient
    from types_boto3_sagemaker_runtime import SageMakerRuntimeClient
    from types_boto3_sts import STSClient

# Somebody waits for the answer, and a wrong region or proxy should not take minutes to say so.
_CONFIG: Final = Config(connect_timeout=5, read_timeout=30, retries={"mode": "standard", "total_max_attempts": 3})


class Pages(Protocol):
    """A paginator of boto3."""

    def paginate(self, *, ServiceCode: str) -> Iterable[Mapping[str, Any]]:  # noqa: N803 - boto3's spelling
        """Yield the pages of a service's quotas."""
        ...


class QuotasClient(Protocol):
    """The part of the Service Quotas client used here."""

    def get_paginator(self, operation_name: str, /) -> Pages:
        """Return an operation's paginator."""
        ...


@dataclass(frozen=True)
class Services:
    """One client for each service, all of one account and region."""

    cloudformation: "CloudFormationClient"
    codebuild: "CodeBuildClient"
    ecr: "ECRClient"
    kms: "KMSClient"
    quotas: QuotasClient
    runtime: "SageMakerRuntimeClient"
    s3: "S3Client"
    sagemaker: "SageMakerClient"
    secrets: Secrets
    sts: "STSClient"

    @classmethod
    def of(cls, client: Callable[[str], Any]) -> Self:
        """Make the clients with a function from a service's name to its client."""
        return cls(
            cloudformation=client("cloudformation"),
            codebuild=client("codebuild"),
            ecr=client("ecr"),
            kms=client("kms"),
            quotas=client("service-quotas"),
            runtime=client("sagemaker-runtime"),
            s3=client("s3"),
            sagemaker=client("sagemaker"),
            secrets=client("secretsmanager"),
            sts=client("sts"),
        )

    @classmethod
    def of_region(cls, region: str | None) -> Self:
        """Make the clients from the caller's credentials.

        Args:
            region: Where; that of the caller's configuration if there is none.

        Raises:
            botocore.exceptions.NoRegionError: Neither says where.
        """
        # boto3's overloads take literal service names only.
        session: Any = boto3.Session(region_name=region)

        def client(service: str) -> Any:  # noqa: ANN401 - boto3 makes the class
            config = RUNTIME_CONFIG if service == "sagemaker-runtime" else _CONFIG
            return session.client(service, config=config)

        return cls.of(client)

    @property
    def region(self) -> str:
        """The region of all clients."""
        return self.cloudformation.meta.region_name
