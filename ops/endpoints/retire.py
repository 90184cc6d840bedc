"""Take the endpoints of an environment away: endpoint, configuration and model, and nothing that holds data."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from config.settings import Settings
from ops.endpoints.deployed import KINDS, Kind, deployed, endpoint_name
from ops.refusals import is_missing
from ops.report import Line, ok, warning, wrong
from ops.services import Services
from ops.stacks import outputs, physical_ids

if TYPE_CHECKING:
    from types_boto3_sagemaker import SageMakerClient

_POLL_SECONDS: Final = 10
_POLLS: Final = 120  # twenty minutes


class ProtectedError(RuntimeError):
    """The environment is protected."""


@dataclass(frozen=True)
class Target:
    """What goes of one endpoint, by name."""

    kind: Kind
    endpoint: str
    configs: tuple[str, ...]
    models: tuple[str, ...]


def targets(services: Services, settings: Settings) -> list[Target]:
    """Return what would go, from the endpoints and from their stacks, so that a second run finds what the first left.

    Raises:
        ProtectedError: Termination protection is on.
        botocore.exceptions.ClientError: The caller may not look.
    """
    if settings.protection.termination_protection:
        raise ProtectedError(
            f"{settings.environment.name} is protected: protection.termination_protection = true. "
            "docs/operations.md, Removing protection, says how it is taken off on purpose."
        )
    return [_target(services, settings, kind) for kind in KINDS]


def retire(services: Services, target: Target, sleep: Callable[[float], None] = time.sleep) -> list[Line]:
    """Delete an endpoint, wait until it is gone, then its configuration and model; what is gone already is no error.

    Raises:
        botocore.exceptions.ClientError: SageMaker refuses.
    """
    sagemaker, name = services.sagemaker, target.endpoint
    there = _gone(partial(sagemaker.delete_endpoint, EndpointName=name))
    for _ in range(_POLLS):
        if not _is_there(sagemaker, name):
            break
        sleep(_POLL_SECONDS)
    else:
        minutes = _POLLS * _POLL_SECONDS // 60
        return [wrong(f"{target.kind} endpoint", f"{name} is still there after {minutes} minutes", "run this again")]
    lines = [_line(f"{target.kind} endpoint", name, deleted=there)]
    for config in target.configs:
        there = _gone(partial(sagemaker.delete_endpoint_config, EndpointConfigName=config))
        lines.append(_line(f"{target.kind} configuration", config, deleted=there))
    for model in target.models:
        there = _gone(partial(sagemaker.delete_model, ModelName=model))
        lines.append(_line(f"{target.kind} model", model, deleted=there))
    return lines


def left(services: Services, settings: Settings) -> list[Line]:
    """Say what stays, what it costs to keep, and how it is removed."""
    name = settings.environment.name
    put_out = outputs(services.cloudformation, f"semif-{name}-artifact")
    destroy = f"cdk destroy semif-{name}-chat semif-{name}-decision --context environment={name}"
    lines = [warning("roles, alarms", f"stacks semif-{name}-chat and -decision", f"{destroy}, before the next deploy")]
    for kind in KINDS:
        group = f"/aws/sagemaker/Endpoints/{endpoint_name(settings, kind)}"
        action = f"goes with its stack, or: aws logs delete-log-group --log-group-name {group}"
        lines.append(warning(f"{kind} log", group, action))
    removal = f"docs/operations.md, Removing protection, then make destroy ENV={name}"
    kept = {"bucket": "BucketName", "repository": "RepositoryName", "key": "KeyArn"}
    return lines + [warning(what, put_out[key], removal) for what, key in kept.items() if key in put_out]


def _target(services: Services, settings: Settings, kind: Kind) -> Target:
    name, stack = endpoint_name(settings, kind), f"semif-{settings.environment.name}-{kind}"
    ids = {
        noun: [
            each.rpartition("/")[2] for each in physical_ids(services.cloudformation, stack, f"AWS::SageMaker::{noun}")
        ]
        for noun in ("EndpointConfig", "Model")
    }
    try:
        found = deployed(services.sagemaker, name)
    except ClientError as error:
        if not is_missing(error):
            raise
    else:
        ids["EndpointConfig"].append(found.config_name)
        ids["Model"].append(found.model_name)
    # Kept in order, each once.
    return Target(kind, name, tuple(dict.fromkeys(ids["EndpointConfig"])), tuple(dict.fromkeys(ids["Model"])))


def _gone(delete: Callable[[], object]) -> bool:
    """Delete something and tell whether it was there."""
    try:
        delete()
    except ClientError as error:
        if is_missing(error):
            return False
        raise
    return True


def _is_there(sagemaker: "SageMakerClient", name: str) -> bool:
    try:
        sagemaker.describe_endpoint(EndpointName=name)
    except ClientError as error:
        if is_missing(error):
            return False
        raise
    return True


def _line(subject: str, name: str, *, deleted: bool) -> Line:
    return ok(subject, f"{name} {'is deleted' if deleted else 'was gone already'}")
