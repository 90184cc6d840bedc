"""Pure: what the SageMaker runtime says instead of an answer, as the reply it stands for."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from decision_client.errors import DecisionError, EndpointNotFoundError
from decision_client.transport import Reply

_TOO_MANY_REQUESTS: Final = 429
_GATEWAY_TIMEOUT: Final = 504
_LEAST_ERROR: Final = 400
_BUSY: Final = frozenset(
    {
        "ModelNotReadyException",
        "RequestLimitExceeded",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "Throttling",
        "ThrottledException",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)
_NOT_FOUND = re.compile(r"^Endpoint .+ not found")


def reply_of(response: Mapping[str, Any]) -> Reply | DecisionError:
    """Return the reply that an error response of the SDK stands for, or that there is no endpoint of this name.

    A `ModelError` is the container's own status and body; a status that is no error's, 0 first of all, means that no
    answer of it arrived in time. Of the service's own errors the body holds the code and not the message, which may
    quote the container's.
    """
    error = response.get("Error", {})
    code = str(error.get("Code", ""))
    if code == "ModelError":
        original = int(response.get("OriginalStatusCode") or 0)
        status = original if original >= _LEAST_ERROR else _GATEWAY_TIMEOUT
        return Reply(status, str(response.get("OriginalMessage", "")).encode("utf-8", "replace"))
    status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    if code == "ValidationError" and _NOT_FOUND.match(str(error.get("Message", ""))):
        return EndpointNotFoundError("there is no such endpoint in this account and region", status=status, code=code)
    return Reply(_TOO_MANY_REQUESTS if code in _BUSY else status, json.dumps({"code": code}).encode())
