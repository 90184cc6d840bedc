# ruff: noqa: N803 - the keyword of the client's call is Secrets Manager's own
"""The hub's token, from the secret that the settings name: it is asked for when it is needed, and never printed."""

import re
from collections.abc import Mapping
from typing import Any, Final, Protocol

_TOKEN: Final = re.compile(r"[!-~]{8,1000}")


class TokenError(RuntimeError):
    """A secret holds no token; what it holds is not said."""


class Secrets(Protocol):
    """The part of the Secrets Manager client used here."""

    def get_secret_value(self, *, SecretId: str) -> Mapping[str, Any]:
        """Return a secret."""
        ...


def hub_token(secrets: Secrets, secret: str) -> str:
    """Return the token that a secret's text is.

    Args:
        secrets: The client, of the region the secret is in.
        secret: The secret's ARN.

    Raises:
        TokenError: It holds none.
        botocore.exceptions.ClientError: It cannot be read.
    """
    token = str(secrets.get_secret_value(SecretId=secret).get("SecretString", "")).strip()
    if not _TOKEN.fullmatch(token):
        raise TokenError(f"{secret} holds no token: it must be 8 to 1000 printable characters without spaces")
    return token
