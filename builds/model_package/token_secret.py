# ruff: noqa: N803 - the keyword of the client's call is Secrets Manager's own
"""The hub's token, read from Secrets Manager by the build itself: it is in no variable, no argument and no log."""

import re
from collections.abc import Mapping
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from model_pin import PackagingError

_TOKEN = re.compile(r"[!-~]{8,1000}")


class Secrets(Protocol):
    """The Secrets Manager call made here."""

    def get_secret_value(self, *, SecretId: str) -> Mapping[str, Any]:
        """Return a secret."""


def hub_token(secret: str, secrets: Secrets) -> str:
    """Return the token that a secret's text is.

    Raises:
        PackagingError: The secret cannot be read or holds no token; its content is not said.
    """
    try:
        text = secrets.get_secret_value(SecretId=secret).get("SecretString", "")
    except (ClientError, BotoCoreError) as error:
        raise PackagingError(f"The hub's token cannot be read from {secret}: {error}.") from error
    token = str(text).strip()
    if not _TOKEN.fullmatch(token):
        raise PackagingError(f"{secret} holds no token: it must be 8 to 1000 printable characters without spaces.")
    return token
