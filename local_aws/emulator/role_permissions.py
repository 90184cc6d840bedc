"""What a role allows, for calls that an AWS service makes by itself in the role's name."""

from collections.abc import Mapping

from ministack.core import iam_evaluator
from ministack.core.iam_actions import identity_denial_message

from local_aws.checkout import ACCOUNT, REGION


class PermissionMissingError(RuntimeError):
    """The role does not allow the action; the sentence is AWS's."""


def require(role_arn: str, action: str, resource: str, context: Mapping[str, str]) -> None:
    """Return if the role's policies allow an action on a resource; `context` holds the call's own condition keys.

    Raises:
        PermissionMissingError: they do not.
    """
    name = role_arn.rsplit("/", 1)[-1]
    asked = iam_evaluator.EvalContext(
        principal_arn=role_arn,
        principal_type="AssumedRole",
        principal_account=ACCOUNT,
        action=action,
        resource_arn=resource,
        region=REGION,
        service_context={key.lower(): value for key, value in context.items()},
    )
    result = iam_evaluator.evaluate(asked, iam_evaluator._gather_role_policies(name, ACCOUNT))  # noqa: SLF001 -- ministack has no public way
    if result.decision != "Allow":
        explicit = result.decision == "Deny"
        raise PermissionMissingError(identity_denial_message(action, role_arn, resource, explicit_deny=explicit))
