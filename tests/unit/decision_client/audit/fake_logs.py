"""CloudWatch Logs in memory."""

from collections.abc import Iterator
from typing import Any

from botocore.exceptions import ClientError


def refused(code: str) -> ClientError:
    """Return what the service says; its message quotes what it was sent."""
    return ClientError({"Error": {"Code": code, "Message": "CANARY"}}, "PutLogEvents")


class FakeLogs:
    """Groups and streams, with what was put; refuses what the service refuses."""

    def __init__(self) -> None:
        self.streams: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self.calls: list[str] = []
        self.fails: Exception | None = None
        self.rejects: dict[str, int] = {}
        self.patterns: list[str] = []

    def put_log_events(self, **parameters: Any) -> dict[str, Any]:
        """Keep events in a stream that is there."""
        self.calls.append("put")
        if self.fails:
            raise self.fails
        stream = parameters["logGroupName"], parameters["logStreamName"]
        if stream not in self.streams:
            raise refused("ResourceNotFoundException")
        self.streams[stream] += parameters["logEvents"]
        return {"rejectedLogEventsInfo": self.rejects} if self.rejects else {}

    def create_log_stream(self, **parameters: Any) -> None:
        """Make a stream in the one group there is."""
        self.calls.append("create")
        if parameters["logGroupName"] != "/audit":
            raise refused("ResourceNotFoundException")
        self.streams[parameters["logGroupName"], parameters["logStreamName"]] = []

    def get_paginator(self, operation: str) -> "FakeLogs":
        """Return what pages through events."""
        assert operation == "filter_log_events"
        return self

    def paginate(self, **parameters: Any) -> Iterator[dict[str, Any]]:
        """Yield the events of a group from a time on, one a page; of a pattern only the quoted value counts."""
        group, since = parameters["logGroupName"], parameters.get("startTime", 0)
        if group != "/audit":
            raise refused("ResourceNotFoundException")
        self.patterns.append(pattern := parameters.get("filterPattern", ""))
        wanted = pattern.split('"')[1] if pattern else ""
        for (_, stream), events in self.streams.items():
            for number, event in enumerate(events):
                if event["timestamp"] >= since and wanted in event["message"]:
                    yield {"events": [{**event, "logStreamName": stream, "eventId": f"e{number}"}]}
