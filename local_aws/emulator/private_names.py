"""Every private name of ministack and moto that this project reaches into, checked before any of it is touched.

Neither has a public way to add a CloudFormation type or to replace an answer. Both versions are pinned; when a pin is
raised and one of these names has moved, the emulator refuses to start and says which.
"""

from collections.abc import Callable
from typing import Any, Final

from ministack import app
from ministack.core import iam_actions, iam_evaluator
from ministack.services import cloudwatch_logs, codebuild, ecr, s3
from ministack.services.cloudformation import provisioners, stacks
from moto.sagemaker.models import FakeEndpointConfig
from moto.sagemaker.responses import SageMakerResponse

TABLES: Final[tuple[tuple[Any, tuple[str, ...]], ...]] = (
    (provisioners, ("_RESOURCE_HANDLERS", "_REPLACING_PROPERTIES", "_STACK_TAG_PROPERTY")),
    (codebuild, ("_projects", "_builds")),
    (cloudwatch_logs, ("_log_groups",)),
    (ecr, ("_repositories", "_layer_blobs")),
    (s3, ("_bucket_tags", "_buckets")),
)
FUNCTIONS: Final[tuple[tuple[Any, tuple[str, ...]], ...]] = (
    (stacks, ("_runs_on_worker_thread",)),
    (codebuild, ("_build_id", "_make_build_record", "_log_sink", "_start_build", "_stop_build")),
    (ecr, ("_describe_images", "_find_image", "_get_download_url_for_layer", "handle_request")),
    (s3, ("_put_bucket_encryption", "_bucket_default_sse_headers")),
    (app, ("_request_account_scope",)),
    (iam_actions, ("s3_service_context", "s3_additional_checks", "extract_resource_arn", "identity_denial_message")),
    (iam_evaluator, ("_gather_role_policies", "_resolve_condition_key")),
    (
        iam_evaluator,
        (
            "pin_request_origin",
            "pin_signed_request",
            "pin_signed_body",
            "enforce",
            "AuthError",
            "EvalContext",
            "evaluate",
        ),
    ),
    (FakeEndpointConfig, ("validate_production_variants",)),
    (SageMakerResponse, ("_get_param", "create_endpoint", "create_model", "describe_endpoint")),
)
# The types whose handlers are wrapped.
HANDLERS: Final = ("AWS::CodeBuild::Project", "AWS::Logs::LogGroup", "AWS::S3::Bucket")


class NameMovedError(RuntimeError):
    """A pinned package no longer has a private name where it was."""


def check() -> None:
    """Refuse packages whose private names are not what this project was written against.

    Raises:
        NameMovedError: names the module and what it lacks.
    """
    _check(TABLES, lambda value: hasattr(value, "keys") and hasattr(value, "get"), "table")
    _check(FUNCTIONS, callable, "function")
    for name in HANDLERS:
        if not {"create", "update", "delete"} <= provisioners._RESOURCE_HANDLERS.get(name, {}).keys():  # noqa: SLF001 -- what this module is for
            raise NameMovedError(f"{provisioners.__name__} does not create, update and delete {name} any more")


def _check(owners: tuple[tuple[Any, tuple[str, ...]], ...], accepts: Callable[[object], bool], kind: str) -> None:
    for owner, names in owners:
        for name in names:
            if not accepts(getattr(owner, name, None)):
                raise NameMovedError(f"{owner.__name__} has no {kind} {name}: the pinned version moved")
