"""Records as lines."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from decision_client.audit.record import RECORD, AnyRecord, DecisionRecord
from tests.unit.decision_client.audit.records import correction, decision, failure

finite = st.floats(allow_nan=False, allow_infinity=False, width=64)


@pytest.mark.parametrize(
    "record", [decision(1), failure(2, "EndpointBusyError", 503, "busy"), correction(3, decision(1), "billing")]
)
def test_record_is_one_line_and_reads_back_equal(record: AnyRecord) -> None:
    """What was written is what is read, whatever kind it is."""
    line = record.model_dump_json()

    assert "\n" not in line
    assert RECORD.validate_json(line) == record


@given(logits=st.lists(finite, min_size=3, max_size=3))
def test_logits_read_back_are_the_same_bits(logits: list[float]) -> None:
    """A replay compares bits, so none is lost on the way to a file and back."""
    record = decision(1, scored={"option_logits": logits})

    read = RECORD.validate_json(record.model_dump_json())

    assert isinstance(read, DecisionRecord)
    assert read.scores.option_logits == tuple(logits)


def test_time_is_written_in_utc() -> None:
    """ISO 8601 with a Z."""
    assert json.loads(decision(1).model_dump_json())["time"] == "2026-11-30T03:20:01Z"


@pytest.mark.parametrize(
    "changed", [{"option_ids": ("account", "billing")}, {"option_ids": ("x", "y", "z")}, {"surprise": 1}]
)
def test_record_that_contradicts_itself_is_none(changed: dict[str, object]) -> None:
    """Scores follow the option ids, and a field that is not known is refused."""
    with pytest.raises(ValidationError):
        RECORD.validate_python({**decision(1).model_dump(), **changed})


def test_record_holds_no_digest_without_a_key() -> None:
    """The answer's prompt digest is a hash of the state that anybody could compare guesses with."""
    assert "e" * 64 not in decision(1).model_dump_json()
