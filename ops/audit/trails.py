"""Where a trail is: files, or a log group that is written `logs:/audit/decisions`."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import boto3

from decision_client.audit.correction import correction, override
from decision_client.audit.hashed_request import RequestHasher
from decision_client.audit.keyed_hash import read_key
from decision_client.audit.log_stream import TrailStream
from decision_client.audit.record import OverrideRecord
from decision_client.audit.trail import Trail, read_trail
from decision_client.audit.trail_file import TrailFile

_GROUP: Final = "logs:"
_OVERRIDES: Final = "overrides"
# What a filter pattern takes as it is; everything of the group is read for other ids.
_PLAIN: Final = re.compile(r"[A-Za-z0-9._:@/-]+")


def read_trails(places: Sequence[str], *, since: datetime | None = None, mentions: str = "") -> Trail:
    """Read files and log groups as one trail.

    Args:
        places: Paths, or `logs:` and a group's name.
        since: The earliest decision that is asked for; groups are read from there on.
        mentions: An id, where only what is about it is needed.

    Raises:
        FileError: A file cannot be read.
        botocore.exceptions.ClientError: A group cannot be read.
    """
    trail = read_trail(Path(place) for place in places if not place.startswith(_GROUP))
    for place in places:
        if place.startswith(_GROUP):
            trail.add(_events(_logs(), place.removeprefix(_GROUP), since, mentions))
    return trail


def known_as(place: str, wanted: str, key_files: Sequence[Path]) -> str:
    """Return an id as a trail has it: as it is, or hashed by one of the keys where callers' ids are hashed.

    Raises:
        FileError: A key file breaks a rule, or the trail cannot be read.
    """
    hashed = [RequestHasher(read_key(file)).caller_id(wanted) for file in key_files]
    found = (each for each in (wanted, *hashed) if read_trails([place], mentions=each).find(each))
    return next(found, wanted)


def append_override(place: str, wanted: str, choice: str, by: str) -> OverrideRecord:
    """Append a correction to a file, or to the stream `overrides` of a log group.

    Raises:
        OverrideError: It cannot be meant; nothing is written.
        SinkError: It cannot be written.
    """
    if not place.startswith(_GROUP):
        return override(TrailFile(Path(place)), wanted, choice, by)
    made = correction(read_trails([place], mentions=wanted), wanted, choice, by, datetime.now(UTC))
    TrailStream(place.removeprefix(_GROUP), _OVERRIDES, _logs()).append([made])
    return made


def _events(logs: Any, group: str, since: datetime | None, mentions: str) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - boto3 makes the class
    asked: dict[str, Any] = {"logGroupName": group}
    if since:
        asked["startTime"] = int((since if since.tzinfo else since.replace(tzinfo=UTC)).timestamp() * 1000)
    if _PLAIN.fullmatch(mentions):
        fields = ("id", "caller_id", "decision")
        asked["filterPattern"] = "{ " + " || ".join(f'($.{field} = "{mentions}")' for field in fields) + " }"
    for page in logs.get_paginator("filter_log_events").paginate(**asked):
        for event in page["events"]:
            yield f"{group} {event['logStreamName']} {event['eventId']}", event["message"]


def _logs() -> Any:  # noqa: ANN401 - boto3 makes the class
    # boto3's overloads take literal service names only, and the types of this one are not installed.
    session: Any = boto3.Session()
    return session.client("logs")
