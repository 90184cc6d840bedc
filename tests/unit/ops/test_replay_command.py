"""`ops replay` as it is typed: what it asks, and what it says of the answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from decision_client.audit.hashed_request import RequestHasher
from decision_client.audit.keyed_hash import LocalKey
from decision_client.audit.trail_file import TrailFile
from ops import __main__
from tests.unit.decision_client.audit.records import KEY, STATE, decision
from tests.unit.decision_client.samples import DEFINITION, IDENTITY
from tests.unit.evidence.synthetic import answered, identity, results, write
from tests.unit.ops.recorded_decision import Endpoint, asked, replay, write_key, write_request


def test_same_bits_are_identical(folder: Path, endpoint: Endpoint) -> None:
    """The recorded request is asked once, alone."""
    result = replay(folder)

    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "The recorded request: state, question and options are those of record r1 (by key 2026-11).",
        "Identity: the same record.",
        "Identical: every logit and the mass are the same bits.",
        "The choice is the same: account.",
    ]
    assert endpoint.sent == [{"decision": asked()}]


def test_another_number_without_a_floor_is_different(folder: Path, endpoint: Endpoint) -> None:
    """The fields of the identity that changed come first: they explain it."""
    endpoint.changed = {"option_logits": [3.0, 1.5, 0.0], "model": {**IDENTITY, "threads": 4}}

    result = replay(folder)

    assert result.exit_code == 1
    assert result.output.splitlines()[1:] == [
        "Identity: threads: 2 → 4",
        "Different: logits differ by 0.5 at most; floor 0 (only the same bits are the same).",
        "The choice is the same: account.",
    ]


@pytest.mark.parametrize(("floor", "verdict", "code"), [("0.5", "within the noise floor", 0), ("0.4", "different", 1)])
def test_given_floor_decides_what_is_noise(
    folder: Path, endpoint: Endpoint, floor: str, verdict: str, code: int
) -> None:
    """And is stated."""
    endpoint.changed = {"option_logits": [3.0, 1.5, 0.0]}

    result = replay(folder, "--floor", floor, "--json")

    told = json.loads(result.output)
    assert (result.exit_code, told["verdict"], told["distance"], told["floor"]) == (code, verdict, 0.5, float(floor))
    assert (told["floor_source"], told["same_choice"]) == ("given", True)


def test_floor_is_measured_from_repeats(folder: Path, endpoint: Endpoint) -> None:
    """Repeats on the record's own runtime, and on no other."""
    endpoint.changed = {"option_logits": [3.0, 1.5, 0.0]}
    repeats = [answered("t", (2.0, 1.0)), answered("t", (2.0, 1.75), repeat=1)]
    here = write(results(repeats), folder / "results.jsonl")
    there = identity(threads=4)
    moved = [each.model_copy(update={"identity": there.sha256}) for each in repeats]
    elsewhere = write(results(moved, there), folder / "elsewhere.jsonl")

    result = replay(folder, "--floor-from", here)

    assert isinstance(replay(folder, "--floor-from", elsewhere).exception, __main__.REFUSALS)
    assert result.exit_code == 0
    assert "floor 0.75 (measured on the record's runtime: 2 answers to 1 prompts)" in result.output


def test_mass_that_no_noise_of_the_floor_explains_is_different_and_said(folder: Path, endpoint: Endpoint) -> None:
    """The client decides by it too: equal logits of the options say nothing of what else the model wanted to say."""
    endpoint.changed = {"allowed_token_mass": 0.2}

    result = replay(folder, "--floor", "0.5")

    assert result.exit_code == 1
    said = "Different: logits differ by 0 at most, the mass is 0.9 → 0.2; floor 0.5 (given)."
    assert result.output.splitlines()[2] == said


def test_changed_choice_ends_with_1_within_the_floor_too(folder: Path, endpoint: Endpoint) -> None:
    """A script that asks whether the decision is the same gets no for an answer."""
    endpoint.changed = {"choice": "billing", "option_logits": [3.0, 3.1, 0.0]}

    result = replay(folder, "--floor", "3")

    assert result.exit_code == 1
    assert "The choice is another: account → billing." in result.output


@pytest.mark.parametrize(
    ("changed", "parts"),
    [
        ({"state": "other"}, "state"),
        ({"question": "Which queue handles this?"}, "question"),
        ({"options": [each.model_dump() for each in DEFINITION.options[::-1]]}, "options"),
    ],
)
@pytest.mark.rule(
    "a request that is not the recorded one is told by its part, and nothing is asked",
    tool="the operator's command",
    emulated="the endpoint",
)
def test_another_request_is_notasked(folder: Path, endpoint: Endpoint, changed: dict[str, Any], parts: str) -> None:
    """The hashes say which part differs."""
    write_request(folder, asked(**changed))

    result = replay(folder)

    assert result.exit_code == 2
    assert f"Not the recorded request: {parts} differ from record r1" in result.output
    assert endpoint.sent == []


def test_without_a_target_only_hashes_are_checked(folder: Path, endpoint: Endpoint) -> None:
    """Whether a request is the recorded one can be shown without an endpoint."""
    result = replay(folder, target=False)

    assert (result.exit_code, endpoint.sent) == (0, [])
    assert result.output.splitlines()[-1] == "Nothing was asked."


def test_decision_of_a_shared_request_is_found_by_its_id(folder: Path, endpoint: Endpoint) -> None:
    """The others of the request are not asked."""
    write_request(folder, asked(id="other", state="x"), asked())

    assert replay(folder).exit_code == 0
    assert [each["decision"]["id"] for each in endpoint.sent] == ["case-1"]


def test_decision_is_found_by_a_hashed_id_too(folder: Path, endpoint: Endpoint) -> None:
    """By whoever has the key."""
    write_request(folder, asked(id="other", state="x"), asked())
    hashed = RequestHasher(KEY).caller_id("case-1")
    (folder / "audit.jsonl").unlink()
    TrailFile(folder / "audit.jsonl").append([decision(1, caller_id=hashed, caller_id_hashed=True)])

    assert replay(folder).exit_code == 0
    assert len(endpoint.sent) == 1


def test_record_is_checked_with_the_key_that_made_it(folder: Path, endpoint: Endpoint) -> None:
    """After a rotation both keys are given; the record says which is its own."""
    older = LocalKey("2026-10", b"o" * 32)
    hashes = RequestHasher(older).hashes(STATE, DEFINITION.question, DEFINITION.options)
    TrailFile(folder / "audit.jsonl").append([decision(2, hashes=hashes)])
    assert isinstance(replay(folder, "--id", "r2").exception, __main__.REFUSALS)
    file = write_key(folder / "older.toml", older)

    result = replay(folder, "--id", "r2", "--key-file", file)

    assert result.exit_code == 0
    assert "(by key 2026-10)" in result.output
    assert len(endpoint.sent) == 1
