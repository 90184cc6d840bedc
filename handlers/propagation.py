"""Ask again while a change of a moment ago may not have reached every server: an image pushed, a policy widened."""

from collections.abc import Callable
from typing import TypeVar

from botocore.exceptions import ClientError

T = TypeVar("T")

PAUSES_SECONDS = (1, 2, 4, 8)
"""Between the attempts; after the last one, what is absent is absent and what is denied is denied."""

DENIALS = ("403", "AccessDenied", "AccessDeniedException")


def until_allowed(call: Callable[[], T], sleep: Callable[[float], None]) -> T:
    """Return what the call returns, which may be denied at first.

    A new pin widens the handler's policy in the deployment that then calls the handler at once, while IAM takes
    seconds to be seen everywhere: https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot.html

    Raises:
        ClientError: It is still denied after all pauses, or fails for another reason.
    """
    for pause in PAUSES_SECONDS:
        try:
            return call()
        except ClientError as error:
            if error.response["Error"]["Code"] not in DENIALS:
                raise
        sleep(pause)
    return call()
