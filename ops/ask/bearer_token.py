"""A short-lived bearer token for SageMaker's OpenAI-compatible route, and one request with it.

The token is what SageMaker's own Python SDK makes: a request for the action CallWithBearerToken, signed by the caller's
credentials into its query and written in base64. Making it asks nobody; it is worth what the credentials may do, for as
long as it says. https://docs.aws.amazon.com/sagemaker/latest/dg/realtime-endpoints-openai-compatible.html
"""

import base64
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Final

from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest

if TYPE_CHECKING:
    from botocore.credentials import ReadOnlyCredentials

LIFETIME_SECONDS: Final = 300
_HOST: Final = "sagemaker.amazonaws.com"
_PREFIX: Final = "sagemaker-api-key-"
_SECONDS: Final = 70
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost"})
_PIECE: Final = 1 << 16
_SAID_CHARACTERS: Final = 300


class BearerError(RuntimeError):
    """The route refused, or may not be asked."""


def bearer_token(credentials: "ReadOnlyCredentials", region: str, seconds: int = LIFETIME_SECONDS) -> str:
    """Return a token that lasts so many seconds, and no longer than the credentials."""
    request = AWSRequest(
        method="POST", url=f"https://{_HOST}/", headers={"host": _HOST}, params={"Action": "CallWithBearerToken"}
    )
    SigV4QueryAuth(credentials, "sagemaker", region, expires=seconds).add_auth(request)
    assert request.url
    signed = f"{request.url.removeprefix('https://')}&Version=1"
    return _PREFIX + base64.b64encode(signed.encode()).decode()


def complete(runtime_url: str, endpoint_name: str, token: str, body: dict[str, Any]) -> Iterator[bytes]:
    """Ask the endpoint for a chat completion by its OpenAI-compatible route and yield the answer piece by piece.

    Args:
        runtime_url: Address of the SageMaker runtime of the region.
        endpoint_name: The endpoint.
        token: It goes into one header, and nowhere else: redirects are not followed.
        body: The request.

    Raises:
        BearerError: The address is not encrypted, or the route refused.
    """
    parts = urllib.parse.urlsplit(runtime_url)
    if not (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)):
        raise BearerError("a token is sent over https only")
    request = urllib.request.Request(  # noqa: S310 - checked above
        f"{runtime_url}/endpoints/{endpoint_name}/openai/v1/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        method="POST",
    )
    try:
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=_SECONDS) as response:
            while piece := response.read1(_PIECE):
                yield piece
    except urllib.error.HTTPError as error:
        with error:
            said = " ".join(error.read(_SAID_CHARACTERS).decode(errors="replace").split()).replace(token, "(token)")
        raise BearerError(f"the OpenAI-compatible route answers {error.code}: {said}") from None
    except (OSError, HTTPException) as error:
        raise BearerError(f"the OpenAI-compatible route does not answer: {error}") from None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Another address would be sent the token too."""

    def redirect_request(self, *_: object) -> None:
        """Follow nothing; the answer is then an error."""
