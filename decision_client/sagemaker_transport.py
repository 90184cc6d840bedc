"""The way through SageMaker: `InvokeEndpoint` by boto3, whose own retries are off."""

import math
import re
import threading
from typing import TYPE_CHECKING, Any, Final

import boto3
from botocore import exceptions as sdk
from botocore.config import Config

from decision_client.errors import DecisionError, NoAnswerError, NotAllowedError, NotConnectedError
from decision_client.quiet import quiet
from decision_client.request import invalid
from decision_client.service_errors import reply_of
from decision_client.transport import CONNECT_SECONDS, CONNECTIONS, READ_SECONDS, Reply

if TYPE_CHECKING:
    from types_boto3_sagemaker_runtime import SageMakerRuntimeClient

_OK: Final = 200
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_MOST_BODY_BYTES: Final = 6_291_456  # InvokeEndpoint's own limit; a container's is lower
_CUT_SECONDS: Final = 61.0  # SageMaker has answered by then: a socket that waits longer waits for nothing
_NO_CREDENTIALS = (
    sdk.NoCredentialsError,
    sdk.PartialCredentialsError,
    sdk.CredentialRetrievalError,
    sdk.TokenRetrievalError,
    sdk.SSOError,
)


def runtime_client(
    region: str | None = None, *, read_seconds: float = READ_SECONDS, session: boto3.Session | None = None
) -> "SageMakerRuntimeClient":
    """Return a client that sends everything once and waits as long as an invocation may take."""
    config = Config(
        connect_timeout=min(CONNECT_SECONDS, read_seconds),
        read_timeout=read_seconds,
        retries={"mode": "standard", "total_max_attempts": 1},
        max_pool_connections=CONNECTIONS,
    )
    return (session or boto3).client("sagemaker-runtime", region_name=region, config=config)


class SageMakerTransport:
    """An endpoint by its name."""

    def __init__(
        self,
        endpoint_name: str,
        *,
        region: str | None = None,
        session: boto3.Session | None = None,
        client: "SageMakerRuntimeClient | None" = None,
    ) -> None:
        """Asks nothing yet.

        Args:
            endpoint_name: The endpoint's name.
            region: Where it is; without it, as the SDK is configured.
            session: Whose credentials, profile and region are used; without it, those of the SDK's default.
            client: Used instead of clients of its own. Its timeouts count, so a deadline is overrun by as much as they
                allow; a session has not this drawback.

        Raises:
            ValueError: The name is none, or the client repeats requests by itself.
            botocore.exceptions.BotoCoreError: The SDK's configuration names no region, or a profile that is not there.
        """
        if not _NAME.fullmatch(endpoint_name):
            raise ValueError("endpoint_name: is 1 to 63 letters, digits and hyphens, no hyphen at either end")
        self._name = endpoint_name
        self._region, self._session = region, session
        self._given = client
        self._clients: dict[float, SageMakerRuntimeClient] = {}
        self._lock = threading.Lock()
        if client is None:
            self._client(READ_SECONDS)
        elif _attempts(client) != 1:
            raise ValueError("client: its own retries are on; they would make attempts that nobody counts")

    def send(self, body: bytes, timeout_seconds: float) -> Reply:
        """Send one request; see `Transport`.

        Raises:
            InvalidRequestError: The body is larger than the service takes.
        """
        if len(body) > _MOST_BODY_BYTES:
            raise invalid(
                f"the request has {len(body)} bytes; at most {_MOST_BODY_BYTES} are allowed", "body_too_large"
            )
        reply = self._attempt(body, timeout_seconds)
        if isinstance(reply, DecisionError):
            raise reply  # outside of any handler: the SDK's exceptions quote the container, and that its caller
        return reply

    def _attempt(self, body: bytes, timeout_seconds: float) -> Reply | DecisionError:
        client = self._given or self._client(timeout_seconds)
        try:
            with quiet():
                response = client.invoke_endpoint(EndpointName=self._name, ContentType="application/json", Body=body)
                return Reply(_OK, response["Body"].read())
        except sdk.ClientError as error:
            return reply_of(error.response)
        except sdk.BotoCoreError as error:
            return _failure(error)

    def _client(self, timeout_seconds: float) -> "SageMakerRuntimeClient":
        # A client has one timeout for life, and what is left of a deadline is always another: so whole seconds.
        seconds = READ_SECONDS if timeout_seconds >= _CUT_SECONDS else float(max(1, math.ceil(timeout_seconds)))
        with self._lock:
            if seconds not in self._clients:
                self._clients[seconds] = runtime_client(self._region, read_seconds=seconds, session=self._session)
            return self._clients[seconds]


def _attempts(client: "SageMakerRuntimeClient") -> object:
    retries: Any = getattr(client.meta.config, "retries", None)  # botocore sets it, its types do not know
    return (retries or {}).get("total_max_attempts")


def _failure(error: sdk.BotoCoreError) -> DecisionError:
    name = type(error).__name__
    if isinstance(error, _NO_CREDENTIALS):
        return NotAllowedError(f"there are no credentials to ask with ({name})", attempts=0)
    if isinstance(error, sdk.ConnectionError):
        return NotConnectedError(f"no connection to the service ({name})")
    if isinstance(error, sdk.HTTPClientError | sdk.IncompleteReadError):
        return NoAnswerError(f"the service did not answer ({name})")
    return invalid(f"the SDK does not send the request ({name})", "")
