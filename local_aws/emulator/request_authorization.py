"""A request to a server beside ministack, checked as ministack checks its own: signature first, then policies."""

import contextvars
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import parse_qs, urlsplit

from ministack.app import _request_account_scope
from ministack.core import iam_evaluator
from ministack.core.iam_actions import identity_denial_message
from ministack.core.responses import set_request_account_id, set_request_region
from ministack.core.router import extract_access_key_id

from local_aws.checkout import HOST, REGION
from local_aws.emulator.required_permissions import Permission


@dataclass(frozen=True)
class SignedRequest:
    """A request as it arrived; `target` is the path with its query, header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Refusal:
    """Why a request is not served, in the words of AWS."""

    status: int
    code: str
    message: str


def refusal(request: SignedRequest, needed: Sequence[Permission]) -> Refusal | None:
    """Return why whoever signed the request may not have it, or None.

    Root, who has every permission, is only recognised by its key.
    """
    return contextvars.copy_context().run(_refusal, request, needed)


def _refusal(request: SignedRequest, needed: Sequence[Permission]) -> Refusal | None:
    address = urlsplit(request.target)
    query, headers = parse_qs(address.query, keep_blank_values=True), dict(request.headers)
    key = extract_access_key_id(headers, query)
    # What ministack does at the beginning of each of its own requests.
    iam_evaluator.pin_request_origin(HOST, secure_transport=False)
    set_request_account_id(_request_account_scope(key))
    set_request_region(REGION)
    raw_headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    iam_evaluator.pin_signed_request(request.method, address.path, query, raw_headers)
    iam_evaluator.pin_signed_body(request.body)
    for action, resource in needed:
        denied = iam_evaluator.enforce(key, action, action.partition(":")[0], REGION, resource_arn=resource)
        if isinstance(denied, iam_evaluator.AuthError):
            return Refusal(HTTPStatus.FORBIDDEN, f"{denied.code.removesuffix('Exception')}Exception", denied.message)
        if denied:
            explicit = denied.decision == "Deny"
            message = identity_denial_message(action, denied.principal_arn, resource, explicit_deny=explicit)
            return Refusal(HTTPStatus.FORBIDDEN, "AccessDeniedException", message)
    return None
