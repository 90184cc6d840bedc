"""Whether a model can be fetched here at all, computed before its first byte is asked for."""

import shutil
from pathlib import Path

from model_pin import ModelPin, PackagingError

SLACK_BYTES = 64 << 20
SLOWEST_BYTES_A_SECOND = 20_000_000
"""A source slower than this is given up on: the model could have been fetched several times over."""


def check_feasible(pin: ModelPin, folder: Path, seconds: float) -> None:
    """Compare what the pin needs with the disk and the time there are. The archive is a stream and needs no disk.

    Raises:
        PackagingError: It does not fit; both figures are named.
    """
    if (free := shutil.disk_usage(folder).free) < pin.size + SLACK_BYTES:
        raise PackagingError(f"{folder} has {free} bytes free, {pin.size + SLACK_BYTES} are needed.")
    if (needed := pin.size / SLOWEST_BYTES_A_SECOND) > seconds:
        raise PackagingError(
            f"{pin.files[0].name} has {pin.size} bytes: at {SLOWEST_BYTES_A_SECOND} bytes a second its download takes "
            f"{needed:.0f} seconds, {seconds:.0f} are allowed."
        )
