"""What an error of AWS means to an operator: not there, not allowed, or not signed in."""

from typing import Final

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    NoCredentialsError,
    PartialCredentialsError,
    SSOError,
    TokenRetrievalError,
)

_MISSING_CODES: Final = frozenset({"404", "NoSuchBucket", "NoSuchKey"})
# CloudFormation and SageMaker have no code of their own for what is not there.
_MISSING_WORDS: Final = ("does not exist", "Could not find")
_DENIED_CODES: Final = frozenset({"403", "AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "Forbidden"})
_EXPIRED_CODES: Final = frozenset({"ExpiredToken", "ExpiredTokenException", "RequestExpired"})
_UNKNOWN_CODES: Final = frozenset(
    {"InvalidClientTokenId", "UnrecognizedClientException", "InvalidAccessKeyId", "SignatureDoesNotMatch"}
)
_NO_CREDENTIALS: Final = (
    NoCredentialsError,
    PartialCredentialsError,
    CredentialRetrievalError,
    TokenRetrievalError,
    SSOError,
)


def code_of(error: ClientError) -> str:
    """Return AWS's name for the error."""
    return error.response.get("Error", {}).get("Code", "")


def is_missing(error: ClientError) -> bool:
    """Tell whether what was asked for is not there."""
    code = code_of(error)
    return code in _MISSING_CODES or "NotFound" in code or (code.startswith("Validation") and _says_missing(str(error)))


def is_denied(error: ClientError) -> bool:
    """Tell whether the caller may not ask."""
    return code_of(error) in _DENIED_CODES


def next_action(error: ClientError | BotoCoreError) -> str:
    """Return what whoever gets this error does next."""
    if isinstance(error, _NO_CREDENTIALS):
        return "sign in (aws sso login, aws login or AWS_PROFILE), then ask again"
    if not isinstance(error, ClientError):
        return "look at the network, the proxy and the region's name, then ask again"
    if code_of(error) in _EXPIRED_CODES:
        return "the session is over: sign in again"
    if code_of(error) in _UNKNOWN_CODES:
        return "these keys are not valid here: choose another profile, or sign in again"
    if is_denied(error):
        return "ask whoever owns the account for the permission that the message names"
    return "read the message; if it names throttling or a fault of the service, ask again later"


def _says_missing(said: str) -> bool:
    return any(words in said for words in _MISSING_WORDS)
