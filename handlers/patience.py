"""Wait for what passes by itself right after a deployment, and not for longer than a call may run."""

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

from botocore.exceptions import ClientError

T = TypeVar("T")

PAUSES_SECONDS: Final = (2, 4, 8, 15, 30, 30, 30)
"""All pauses of one check together, whatever it waits for: two minutes, so that eight calls of 70 s end in time."""

# What the runtime says while instances are added or capacity is short, and what a container says while it is full.
_PASSING: Final = frozenset({"ModelNotReadyException", "ThrottlingException", "ServiceUnavailable"})
_BUSY: Final = frozenset({429, 503})


class Patience:
    """A number of pauses, used up by whatever needs one first."""

    def __init__(self, sleep: Callable[[float], None]) -> None:
        self._pauses: Iterator[float] = iter(PAUSES_SECONDS)
        self._sleep = sleep

    def wait(self) -> bool:
        """Sleep for the next pause and return True, or return False because there is none left."""
        pause = next(self._pauses, None)
        if pause is None:
            return False
        self._sleep(pause)
        return True


def until_ready(call: Callable[[], T], patience: Patience) -> T:
    """Return what an invocation returns, which may be refused for now.

    Raises:
        ClientError: It is refused for good, or still refused when patience is over.
    """
    while True:
        try:
            return call()
        except ClientError as error:
            if not _passes(error.response) or not patience.wait():
                raise


def _passes(response: Any) -> bool:  # noqa: ANN401 - botocore types an error's own members as unknown
    code = response["Error"]["Code"]
    return code in _PASSING or (code == "ModelError" and response.get("OriginalStatusCode") in _BUSY)
