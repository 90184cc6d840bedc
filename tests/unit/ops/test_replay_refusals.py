"""What `ops replay` refuses: records, requests, keys and floors that nothing can be concluded from."""

import json
from pathlib import Path
from typing import Any

import pytest

from decision_client.audit.trail_file import TrailFile
from ops import __main__
from tests.unit.decision_client.audit.records import decision, failure
from tests.unit.ops.recorded_decision import Endpoint, asked, replay, write_request

CANARY = "CANARY-7f3a"


def _no_request(folder: Path) -> None:
    (folder / "request.json").write_text(f'{{"decision": {{"state": "{CANARY}"}}}}')


def _no_json(folder: Path) -> None:
    (folder / "request.json").write_text(f'{{"decision": "{CANARY}')


def _nan(folder: Path) -> None:
    (folder / "request.json").write_text(json.dumps({"decision": asked(state=[float("nan"), CANARY])}))


def _foreign_ids(folder: Path) -> None:
    write_request(folder, asked(id="x"), asked(id="y"))


def _no_request_file(folder: Path) -> None:
    (folder / "request.json").unlink()


def _no_trail(folder: Path) -> None:
    (folder / "audit.jsonl").unlink()


def _failed(folder: Path) -> None:
    _no_trail(folder)
    TrailFile(folder / "audit.jsonl").append([failure(1, "DeadlineExceededError")])


def _unhashed(folder: Path) -> None:
    _no_trail(folder)
    TrailFile(folder / "audit.jsonl").append([decision(1, hashes=None)])


def _two_records(folder: Path) -> None:
    TrailFile(folder / "audit.jsonl").append([decision(2)])


def _open_key(folder: Path) -> None:
    (folder / "key.toml").chmod(0o644)


@pytest.mark.parametrize(
    ("spoil", "arguments", "said"),
    [
        (_no_request, (), "is no request"),
        (_no_json, (), "is no request"),
        (_nan, (), "is no request"),
        (_foreign_ids, (), "none of its 2 decisions"),
        (_no_request_file, (), "cannot be read"),
        (_no_trail, (), "cannot be read"),
        (_failed, (), "was not answered (DeadlineExceededError)"),
        (_unhashed, (), "has no hashes"),
        (_two_records, (), "holds 2 records"),
        (_two_records, ("--id", "nobody"), "holds no record with the id nobody"),
        (_open_key, (), "chmod 600"),
        (None, ("--floor", "0.1", "--floor-from", "x"), "one of them"),
        (None, ("--floor-from", "none.jsonl"), "cannot be read"),
        (None, ("--floor", "inf"), "is no number"),
    ],
)
def test_what_cannot_be_replayed_is_refused(
    folder: Path, endpoint: Endpoint, spoil: Any, arguments: tuple[str, ...], said: str
) -> None:
    """One sentence, which quotes nothing of a request; nothing is asked."""
    if spoil:
        spoil(folder)

    result = replay(folder, *arguments)

    assert isinstance(result.exception, __main__.REFUSALS)
    assert said in str(result.exception)
    assert CANARY not in str(result.exception) + result.output
    assert endpoint.sent == []


def test_endpoint_that_fails_is_said(folder: Path, endpoint: Endpoint) -> None:
    """In the client's own words."""
    endpoint.status = 400

    assert isinstance(replay(folder).exception, __main__.REFUSALS)
