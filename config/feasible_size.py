"""How large a model may be: what the build machine holds and fetches, and what the verification reads in its time.

The rates are the slow end of what is to be expected, so a model within these bounds is not stopped half-way.
"""

from dataclasses import dataclass
from typing import Literal

Packaging = Literal["archive", "uncompressed"]

BUILD_DISK_BYTES = 128 * 10**9
"""Of CodeBuild's medium machine: https://docs.aws.amazon.com/codebuild/latest/userguide/build-env-ref-compute-types.html"""
BUILD_SYSTEM_BYTES = 28 * 10**9
DOWNLOAD_SECONDS = 1800
DOWNLOAD_BYTES_A_SECOND = 20 * 10**6
VERIFICATION_SECONDS = 840
"""Of the function's 15 minutes."""
ONE_PUT_BYTES = 5 * 10**9
"""Up to here S3 keeps a SHA-256 of the whole object, and no verification reads it."""


@dataclass(frozen=True)
class _Bound:
    what: str
    units: int
    unit: str
    bytes_a_unit: int


def broken_bound(size: int, packaging: Packaging, largest: int) -> str | None:
    """Return why a model of so many bytes cannot be published and verified, with the figures, or None if it can.

    Args:
        size: Bytes of all its files.
        packaging: How it is published.
        largest: Bytes of its largest file.
    """
    bounds = [
        _Bound("the build machine's disk", BUILD_DISK_BYTES - BUILD_SYSTEM_BYTES, "free bytes", 1),
        _Bound("the download", DOWNLOAD_SECONDS, "s", DOWNLOAD_BYTES_A_SECOND),
    ]
    if packaging == "archive":
        bounds.append(
            _Bound("unpacking and hashing the archive in one function call", VERIFICATION_SECONDS, "s", 33 * 10**6)
        )
    elif largest > ONE_PUT_BYTES:
        bounds.append(_Bound("hashing the file in one function call", VERIFICATION_SECONDS, "s", 60 * 10**6))
    for bound in bounds:
        needed = -(-size // bound.bytes_a_unit)
        if needed > bound.units:
            return f"{size} bytes take {needed} {bound.unit} of {bound.what}, which has {bound.units}"
    return None
