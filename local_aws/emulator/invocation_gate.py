"""Who may ask an endpoint: decided by the caller's policies, before any container hears of the request."""

from local_aws.emulator.invoke_errors import InvokeError
from local_aws.emulator.invoke_proxy import InvokeProxy
from local_aws.emulator.request_authorization import SignedRequest, refusal
from local_aws.emulator.required_permissions import Permission


def authorize(request: InvokeProxy, body: bytes, needed: list[Permission]) -> None:
    """Return if whoever signed the request has the permissions.

    Raises:
        InvokeError: a signature that does not fit, or a permission that is missing, named with its resource.
    """
    headers = {name.lower(): value for name, value in request.headers.items()}
    refused = refusal(SignedRequest(request.command, request.path, headers, body), needed)
    if refused:
        raise InvokeError(refused.status, refused.code, refused.message)
