"""Wait for what passes by itself right after a deployment, and not for longer than a call may run."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from botocore.exceptions import ClientError

T = TypeVar("T")

PATIENCE_SECONDS: Final = 420
"""For all that one check waits for; with an invocation of 70 s behind it, far below the 15 minutes of a function."""

LONGEST_PAUSE_SECONDS: Final = 30

# What the runtime says while instances are added or capacity is short, and what a container says while it is full.
_PASSING: Final = frozenset({"ModelNotReadyException", "ThrottlingException", "ServiceUnavailable"})
_BUSY: Final = frozenset({429, 503})
# The container's estimate is from its own start, when all else on the machine started too. It tries all the same when
# it has measured nothing for 300 s.
_TOO_EARLY: Final = "too_slow_here"


class Patience:
    """A number of seconds, used up by whatever needs them first, in pauses that double."""

    def __init__(
        self, sleep: Callable[[float], None] = time.sleep, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._sleep, self._clock = sleep, clock
        self._over = clock() + PATIENCE_SECONDS
        self._pause = 2.0

    def wait(self) -> bool:
        """Sleep for the next pause and return True, or return False because patience is over."""
        if self._clock() + self._pause > self._over:
            return False
        self._sleep(self._pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE_SECONDS)
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


def _passes(response: Mapping[str, Any]) -> bool:
    code = response["Error"]["Code"]
    if code != "ModelError":
        return code in _PASSING
    return response.get("OriginalStatusCode") in _BUSY or _said_code(response) == _TOO_EARLY


def _said_code(response: Mapping[str, Any]) -> object:
    try:
        said = json.loads(response.get("OriginalMessage", ""))
    except (TypeError, ValueError):
        return None
    return said.get("code") if isinstance(said, dict) else None
