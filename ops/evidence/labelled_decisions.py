"""Labelled decisions, from wherever they are: results of `ops bench`, or an audit trail in a file or a log group."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from evidence.calibration.errors import CalibrationError
from evidence.results import read_results
from ops.audit.trails import read_trails

if TYPE_CHECKING:
    from evidence.calibration.labelled import Labelled


def read_labelled(place: str, labels: Path | None = None, since: datetime | None = None) -> "Labelled":
    """Read labelled decisions.

    Args:
        place: A results file, or a trail: a file, or `logs:` and a log group's name.
        labels: JSON lines of `task` and `gold`, which replace what a results file says.
        since: The earliest decision of a trail that is taken.

    Raises:
        CalibrationError: Labels are wrong or not for this, or nothing can be concluded.
        ResultsError: It is neither a trail nor a results file.
        FileError: It cannot be read.
        botocore.exceptions.ClientError: A group cannot be read.
    """
    from evidence.calibration.labelled import of_results  # noqa: PLC0415 - needs scipy
    from evidence.calibration.labels import relabelled  # noqa: PLC0415
    from evidence.calibration.trail import of_trail  # noqa: PLC0415

    trail = read_trails([place], since=since)
    if trail.asked or place.startswith("logs:"):
        if labels:
            raise CalibrationError(f"{labels}: a trail is corrected with `override`, not with a file of labels")
        return of_trail(trail.between(since, None), place.rpartition("/")[2])
    if since:
        raise CalibrationError("--since: is for audit trails")
    results = read_results(Path(place))
    return of_results(relabelled(results, labels) if labels else results)
