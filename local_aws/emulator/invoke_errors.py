"""What callers of InvokeEndpoint get instead of an answer."""

import json
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from local_aws.checkout import ACCOUNT, REGION

MAX_BODY_BYTES: Final = 6_291_456
MODEL_ERROR_STATUS: Final = 424


@dataclass(frozen=True)
class InvokeError(Exception):
    """An error in the form of the service's own API model."""

    status: int
    code: str
    message: str
    members: dict[str, Any] = field(default_factory=dict)

    def body(self) -> bytes:
        """Return the answer's body."""
        return json.dumps({"Message": self.message, **self.members}).encode()


def unknown_endpoint(name: str) -> InvokeError:
    """No endpoint has this name."""
    return InvokeError(HTTPStatus.BAD_REQUEST, "ValidationError", f"Endpoint {name} of account {ACCOUNT} not found.")


def unsigned() -> InvokeError:
    """The request carries no signature for this service."""
    return InvokeError(HTTPStatus.FORBIDDEN, "MissingAuthenticationTokenException", "Missing Authentication Token")


def body_too_large(size: int) -> InvokeError:
    """The body is larger than the service takes; both sizes in bytes."""
    message = f"The body has {size} bytes; at most {MAX_BODY_BYTES} are allowed."
    return InvokeError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "ValidationError", message)


def model_error(name: str, status: int, original: str, log_stream_arn: str) -> InvokeError:
    """The container answered with an error, or not at all (status 0)."""
    kind = "client" if HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR else "server"
    message = (
        f'Received {kind} error ({status}) from primary with message "{original}". '
        f"Its log is /aws/sagemaker/Endpoints/{name} in {REGION}, account {ACCOUNT}."
    )
    members = {"OriginalStatusCode": status, "OriginalMessage": original, "LogStreamArn": log_stream_arn}
    return InvokeError(MODEL_ERROR_STATUS, "ModelError", message, members)
