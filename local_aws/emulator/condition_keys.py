"""Two S3 condition keys and one resource name that ministack's policy evaluation does not know."""

import json
from collections.abc import Mapping
from typing import Any

from ministack.core import iam_actions


def register() -> None:
    """Let policies ask for `s3:if-none-match` and `s3:ObjectCreationOperation`, and name the project of BatchGetBuilds.

    Raises:
        RuntimeError: ministack no longer has the functions that are extended here.
    """
    for name in ("s3_service_context", "extract_resource_arn"):
        if not callable(getattr(iam_actions, name, None)):
            raise RuntimeError(f"ministack.core.iam_actions has no {name}: the pinned version moved")  # noqa: TRY004 -- not a caller's wrong type, a wrong version
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


def creation_context(action: str, query: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, str]:
    """Return the keys a PutObject permission check carries about conditional writes.

    S3 asks `s3:PutObject` also for the calls of a multipart upload. Only the one that completes it creates the object
    and can carry a condition, so the key is false for the others.
    """
    if action != "s3:PutObject":
        return {}
    part = "uploads" in query or "partNumber" in query
    context = {"s3:ObjectCreationOperation": "false" if part else "true"}
    if condition := headers.get("if-none-match"):
        context["s3:if-none-match"] = condition
    return context


def builds_project(body: bytes, region: str, account: str) -> str:
    """Return the project that the builds of one BatchGetBuilds call belong to, or `*` if there are several."""
    try:
        names = {str(build).rsplit("/", 1)[-1].split(":", 1)[0] for build in json.loads(body)["ids"]}
    except (ValueError, KeyError, TypeError):
        return "*"
    return f"arn:aws:codebuild:{region}:{account}:project/{names.pop()}" if len(names) == 1 else "*"
