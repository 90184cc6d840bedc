"""Why a decision did not come back. No message holds anything of a request."""


class FileError(ValueError):
    """A definition, policy or key file is missing or breaks a rule; the message is one sentence."""


class DecisionError(Exception):
    """A decision was asked for and there is no answer.

    Attributes:
        status: The HTTP status of the last attempt, or None where none came.
        code: The container's own word for it, or the service's error code; empty where there is none.
        attempts: How often it was sent; 0 if it was refused before.
        retry_after_seconds: The wait that a refusal for lack of capacity asked for; None where it named none.
        refusals: How many of the attempts were refused for lack of capacity.
        waited_seconds: Time between attempts.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str = "",
        attempts: int = 1,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.attempts = attempts
        self.retry_after_seconds = retry_after_seconds
        self.refusals = 0
        self.waited_seconds = 0.0


class EndpointBusyError(DecisionError):
    """Every attempt within the deadline was refused for lack of capacity (429, 503, throttling)."""


class InvalidRequestError(DecisionError):
    """The request breaks the contract, and would again (any other 4xx)."""


class TooSlowHereError(InvalidRequestError):
    """The container cannot read so much in its time (400 `too_slow_here`); a faster one could, or an idle one."""


class NotAllowedError(InvalidRequestError):
    """The caller has no credentials, or none that may ask this endpoint (401, 403)."""


class ModelFailureError(DecisionError):
    """The endpoint failed (500, 504), or answered something that is no answer to the request."""


class NoAnswerError(ModelFailureError):
    """The connection broke, or nothing came within the socket's timeout; whether it was worked on is unknown."""


class DeadlineExceededError(DecisionError):
    """The overall deadline passed."""


class EndpointNotFoundError(DecisionError):
    """There is no such endpoint, or nothing listens there."""


class NotConnectedError(EndpointNotFoundError):
    """No connection could be made."""
