"""What a request's headers must say before a byte of its body is read."""

from collections.abc import Mapping

from semif.decision import RequestError

_DIGITS = 20  # no length that fits has more; int() refuses thousands of them


def declared_length(headers: Mapping[str, str], max_body_bytes: int) -> int:
    """The body's declared length in bytes.

    Args:
        headers: By names that are looked up in any case.
        max_body_bytes: Longest body that is read.

    Raises:
        RequestError: It is not JSON, declares no length, or one that is too long.
    """
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise RequestError("wrong_content_type", "Content-Type must be application/json", "Content-Type")
    declared = headers.get("content-length", "").lstrip("0")
    if not declared.isascii() or not declared.isdigit():
        message = f"Content-Length must be declared, 1 to {max_body_bytes}"
        raise RequestError("no_content_length", message, "Content-Length")
    if len(declared) > _DIGITS or int(declared) > max_body_bytes:
        message = f"the body has {declared[:_DIGITS]} bytes; at most {max_body_bytes} are allowed"
        raise RequestError("body_too_large", message, "Content-Length")
    return int(declared)
