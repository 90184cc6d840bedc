"""Condition keys, permissions and resource names, given to ministack's policy evaluation."""

from collections.abc import Mapping
from typing import Any

from ministack.core import iam_actions, iam_evaluator
from ministack.services import s3

from local_aws.emulator import object_permissions
from local_aws.emulator.condition_keys import (
    builds_project,
    creation_context,
    described_repository,
    log_stream,
    principal,
)
from local_aws.emulator.object_permissions import StoredObject

_KEY_HEADER = "x-amz-server-side-encryption-aws-kms-key-id"


def register() -> None:
    """Let policies ask for two keys of S3's writes and for a session's role, and name what the others are about.

    A request for an object also needs what its encryption and its absence need.
    """
    known_context, known_resource = iam_actions.s3_service_context, iam_actions.extract_resource_arn
    known_checks, known_key = iam_actions.s3_additional_checks, iam_evaluator._resolve_condition_key  # noqa: SLF001 -- ministack has no public way

    def s3_service_context(
        action: str, query: Mapping[str, Any] | None, path: str = "", headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        context: dict[str, Any] = known_context(action, query, path, headers)
        return context | creation_context(action, query or {}, headers or {})

    def extract_resource_arn(  # noqa: PLR0917 -- ministack calls it like this
        service: str,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        query: Mapping[str, Any],
        region: str,
        account: str,
    ) -> str:
        target = headers.get("x-amz-target", "")
        if service == "codebuild" and target.endswith(".BatchGetBuilds"):
            return builds_project(body, region, account)
        if service == "ecr" and target.endswith(".DescribeRepositories"):
            return described_repository(body, region, account)
        resource: str = known_resource(service, method, path, headers, body, query, region, account)
        return log_stream(target, body, resource) if service == "logs" else resource

    def s3_additional_checks(
        method: str, path: str, headers: Mapping[str, str], body: bytes, query: Mapping[str, Any]
    ) -> list[tuple[str, str]]:
        checks: list[tuple[str, str]] = known_checks(method, path, headers, body, query)
        bucket, _, key = path.lstrip("/").partition("/")
        return checks + object_permissions.additional(method, query, _stored(bucket, key)) if key else checks

    def resolve_condition_key(key: str, context: iam_evaluator.EvalContext) -> Any:  # noqa: ANN401 -- ministack's values carry no types
        value = known_key(key, context)
        return principal(str(value)) if key.lower() == "aws:principalarn" else value

    iam_evaluator._resolve_condition_key = resolve_condition_key  # noqa: SLF001 -- as above
    iam_actions.s3_additional_checks = s3_additional_checks
    iam_actions.s3_service_context = s3_service_context
    iam_actions.extract_resource_arn = extract_resource_arn


def _stored(bucket: str, key: str) -> StoredObject:
    found = (s3._buckets.get(bucket) or {}).get("objects", {}).get(key)  # noqa: SLF001 -- ministack has no public way
    encryption = found["preserved_headers"] if found else s3._bucket_default_sse_headers(bucket)  # noqa: SLF001 -- as above
    return StoredObject(bucket, exists=found is not None, key_arn=encryption.get(_KEY_HEADER))
