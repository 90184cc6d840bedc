"""An audit trail in CloudWatch Logs."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from decision_client.audit.record import AnyRecord
from decision_client.audit.sink import SinkError

# PutLogEvents' limits. For one event AWS's pages name 256 KiB or 1 MB, by partition: the smaller always holds.
EVENT_BYTES: Final = 256 * 1024
OVERHEAD_BYTES: Final = 26
BATCH_BYTES: Final = 1024 * 1024
BATCH_EVENTS: Final = 10_000
BATCH_MILLISECONDS: Final = 24 * 60 * 60 * 1000
Event = dict[str, Any]


class LogsClient(Protocol):
    """The part of boto3's `logs` client used here."""

    def put_log_events(self, **parameters: Any) -> Any:  # noqa: ANN401 - boto3 makes the types
        """Add events to a stream."""
        ...

    def create_log_stream(self, **parameters: Any) -> Any:  # noqa: ANN401 - boto3 makes the types
        """Make a stream."""
        ...


class TrailStream:
    """A log stream, which any number of processes may write to at once.

    The group has to be there: its encryption and its retention are for its owner to decide.
    """

    def __init__(self, group: str, stream: str, client: LogsClient) -> None:
        """Needs `logs:PutLogEvents`, and `logs:CreateLogStream` where the stream is not there yet."""
        self._stream = {"logGroupName": group, "logStreamName": stream}
        self._client = client

    def append(self, records: Sequence[AnyRecord]) -> None:
        """Keep records: CloudWatch Logs has accepted them when this returns.

        Raises:
            SinkError: It has not, or a record is longer than an event may be.
        """
        events = sorted((_event(record) for record in records), key=lambda event: event["timestamp"])
        if any(_bytes(event) > EVENT_BYTES for event in events):
            raise SinkError(f"a record is longer than the {EVENT_BYTES} bytes of an event of CloudWatch Logs")
        try:
            for batch in batches(events):
                self._put(batch)
        except (BotoCoreError, ClientError) as error:
            raise SinkError(f"{self._stream['logGroupName']}: {_code(error)}") from None

    def _put(self, batch: list[Event]) -> None:
        try:
            accepted = self._client.put_log_events(**self._stream, logEvents=batch)
        except ClientError as error:
            if _code(error) != "ResourceNotFoundException":
                raise
            self._make_stream()
            accepted = self._client.put_log_events(**self._stream, logEvents=batch)
        if rejected := accepted.get("rejectedLogEventsInfo"):
            # Outside of what the group keeps, or of the service's own clock: the machine's clock is wrong.
            raise SinkError(f"{self._stream['logGroupName']}: refused events by their time: {', '.join(rejected)}")

    def _make_stream(self) -> None:
        try:
            self._client.create_log_stream(**self._stream)
        except ClientError as error:
            if _code(error) != "ResourceAlreadyExistsException":  # another process made it meanwhile
                raise


def batches(events: Sequence[Event]) -> Iterator[list[Event]]:
    """Cut events, which are in order of time, into what one call takes."""
    batch: list[Event] = []
    size = 0
    for event in events:
        more = _bytes(event)
        late = bool(batch) and event["timestamp"] - batch[0]["timestamp"] >= BATCH_MILLISECONDS
        if late or size + more > BATCH_BYTES or len(batch) == BATCH_EVENTS:
            yield batch
            batch, size = [], 0
        batch.append(event)
        size += more
    if batch:
        yield batch


def _event(record: AnyRecord) -> Event:
    return {"timestamp": int(record.time.timestamp() * 1000), "message": record.model_dump_json()}


def _bytes(event: Event) -> int:
    return len(event["message"].encode()) + OVERHEAD_BYTES


def _code(error: BotoCoreError | ClientError) -> str:
    return error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
