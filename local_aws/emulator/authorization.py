"""Two S3 condition keys and one resource name, given to ministack's policy evaluation."""

from collections.abc import Mapping
from typing import Any

from ministack.core import iam_actions

from local_aws.emulator.condition_keys import builds_project, creation_context


def register() -> None:
    """Let policies ask for `s3:if-none-match` and `s3:ObjectCreationOperation`, and name BatchGetBuilds' project."""
    known_context, known_resource = iam_actions.s3_service_context, iam_actions.extract_resource_arn

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
        if service == "codebuild" and headers.get("x-amz-target", "").endswith(".BatchGetBuilds"):
            return builds_project(body, region, account)
        resource: str = known_resource(service, method, path, headers, body, query, region, account)
        return resource

    iam_actions.s3_service_context = s3_service_context
    iam_actions.extract_resource_arn = extract_resource_arn
