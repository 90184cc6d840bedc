"""Why a decision did not come back. No message holds anything of a request."""


class FileError(ValueError):
    """A definition, policy or key file is missing or breaks a rule; the message is one sentence."""


class DecisionError(Exception):
    """A decision was asked for and there is no answer.

    Attributes:
        status: The HTTP status of the last attempt, or None where none came.
        code: The container's own word for it, or the service's error code; empty where there is none.
        attempts: How often it was sent.
    """

    def __init__(self, message: str, *, status: int | None = None, code: str = "", attempts: int = 1) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.attempts = attempts


class EndpointBusyError(DecisionError):
    """Every attempt within the deadline was refused for lack of capacity (429, 503, throttling)."""


class InvalidRequestError(DecisionError):
    """The request breaks the contract, and would again (any other 4xx)."""


class ModelFailureError(DecisionError):
    """The endpoint failed (500, 504), or answered something that is no answer to the request."""


class DeadlineExceededError(DecisionError):
    """The overall deadline passed."""


class EndpointNotFoundError(DecisionError):
    """There is no such endpoint, or nothing listens there."""
