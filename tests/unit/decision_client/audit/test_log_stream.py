"""A trail in CloudWatch Logs, against a client in memory."""

from datetime import timedelta
from typing import Any

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError
from botocore.stub import Stubber
from hypothesis import given
from hypothesis import strategies as st

from decision_client.audit.log_stream import (
    BATCH_BYTES,
    BATCH_EVENTS,
    BATCH_MILLISECONDS,
    EVENT_BYTES,
    OVERHEAD_BYTES,
    TrailStream,
    batches,
)
from decision_client.audit.sink import SinkError
from tests.unit.decision_client.audit.fake_logs import FakeLogs, refused
from tests.unit.decision_client.audit.records import START, decision


def test_record_is_an_event_with_the_records_own_time() -> None:
    """The stream is made at the first record, and not again."""
    logs = FakeLogs()
    trail = TrailStream("/audit", "app", logs)

    trail.append([decision(1)])
    trail.append([decision(2)])

    assert logs.calls == ["put", "create", "put", "put"]
    first, _ = logs.streams["/audit", "app"]
    assert first == {"timestamp": int(START.timestamp() * 1000) + 1000, "message": decision(1).model_dump_json()}


def test_records_of_one_call_are_put_in_order_of_time() -> None:
    """As the service demands."""
    logs = FakeLogs()
    TrailStream("/audit", "app", logs).append([decision(3), decision(1), decision(2)])

    assert [each["timestamp"] // 1000 % 10 for each in logs.streams["/audit", "app"]] == [1, 2, 3]


@pytest.mark.parametrize(
    ("fails", "said"),
    [
        (refused("AccessDeniedException"), "/audit: AccessDeniedException"),
        (refused("ThrottlingException"), "/audit: ThrottlingException"),
        (EndpointConnectionError(endpoint_url="http://logs"), "/audit: EndpointConnectionError"),
    ],
)
def test_refusal_of_the_service_is_named_by_its_code(fails: Exception, said: str) -> None:
    """Its message, which may quote what was sent, is not repeated."""
    logs = FakeLogs()
    logs.fails = fails
    with pytest.raises(SinkError) as caught:
        TrailStream("/audit", "app", logs).append([decision(1)])
    assert str(caught.value) == said


def test_group_that_is_not_there_is_not_made() -> None:
    """Its encryption and retention are its owner's to decide."""
    with pytest.raises(SinkError, match="/none: ResourceNotFoundException"):
        TrailStream("/none", "app", FakeLogs()).append([decision(1)])


@pytest.mark.parametrize(("code", "kept"), [("ResourceAlreadyExistsException", True), ("AccessDeniedException", False)])
def test_stream_that_another_process_makes_meanwhile_is_as_good(
    monkeypatch: pytest.MonkeyPatch, code: str, *, kept: bool
) -> None:
    """Two processes begin at once: who comes second writes on. Any other refusal is one."""
    logs = FakeLogs()
    make = logs.create_log_stream

    def made_meanwhile(**parameters: Any) -> None:
        make(**parameters)
        raise refused(code)

    monkeypatch.setattr(logs, "create_log_stream", made_meanwhile)
    if kept:
        TrailStream("/audit", "app", logs).append([decision(1)])
    else:
        with pytest.raises(SinkError, match=f"/audit: {code}"):
            TrailStream("/audit", "app", logs).append([decision(1)])
    assert len(logs.streams["/audit", "app"]) == kept


def test_event_that_was_accepted_and_thrown_away_is_no_kept_record() -> None:
    """The service answers 200 and says which events are too old, too new or expired."""
    logs = FakeLogs()
    logs.streams["/audit", "app"] = []
    logs.rejects = {"tooOldLogEventEndIndex": 1}
    with pytest.raises(SinkError, match="by their time: tooOldLogEventEndIndex"):
        TrailStream("/audit", "app", logs).append([decision(1)])


def test_record_that_no_event_can_hold_is_refused_before_it_is_sent() -> None:
    """256 KiB with the service's 26 bytes."""
    logs = FakeLogs()
    logs.streams["/audit", "app"] = []
    size = len(decision(1, caller_id="x").model_dump_json()) - 1
    fits = EVENT_BYTES - OVERHEAD_BYTES - size
    TrailStream("/audit", "app", logs).append([decision(1, caller_id="x" * fits)])
    with pytest.raises(SinkError, match="longer than"):
        TrailStream("/audit", "app", logs).append([decision(1, caller_id="x" * (fits + 1))])
    assert logs.calls == ["put"]


@given(
    events=st.lists(st.tuples(st.integers(0, 3 * BATCH_MILLISECONDS), st.integers(1, EVENT_BYTES)), max_size=40),
)
def test_batches_keep_order_and_every_limit(events: list[tuple[int, int]]) -> None:
    """Nothing is lost, no batch is too large, too long or too wide in time."""
    ordered = [{"timestamp": time, "message": "é" * (size // 2)} for time, size in sorted(events)]

    cut = list(batches(ordered))

    assert [event for batch in cut for event in batch] == ordered
    for batch in cut:
        assert sum(len(event["message"].encode()) + OVERHEAD_BYTES for event in batch) <= BATCH_BYTES
        assert batch[-1]["timestamp"] - batch[0]["timestamp"] < BATCH_MILLISECONDS


def test_batch_holds_at_most_ten_thousand_events() -> None:
    """However small they are."""
    assert [len(batch) for batch in batches([{"timestamp": 0, "message": ""}] * (BATCH_EVENTS + 1))] == [
        BATCH_EVENTS,
        1,
    ]


def test_records_of_several_days_go_in_several_calls() -> None:
    """One call may span less than 24 hours."""
    logs = FakeLogs()
    logs.streams["/audit", "app"] = []
    TrailStream("/audit", "app", logs).append([decision(1), decision(2, time=START + timedelta(days=2))])

    assert logs.calls == ["put", "put"]


def test_what_is_sent_fits_the_services_model() -> None:
    """boto3's own client takes the calls, and its own answer says that nothing was thrown away."""
    logs: Any = boto3.client("logs", region_name="eu-central-1", aws_access_key_id="a", aws_secret_access_key="s")
    names = {"logGroupName": "/audit", "logStreamName": "app"}
    event = {"timestamp": int(START.timestamp() * 1000) + 1000, "message": decision(1).model_dump_json()}
    with Stubber(logs) as service:
        service.add_client_error("put_log_events", "ResourceNotFoundException")
        service.add_response("create_log_stream", {}, names)
        service.add_response("put_log_events", {}, {**names, "logEvents": [event]})
        TrailStream("/audit", "app", logs).append([decision(1)])
        service.assert_no_pending_responses()
