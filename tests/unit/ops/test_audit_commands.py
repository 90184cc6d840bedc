"""`ops replay`, `ops override` and `ops audit` as they are typed."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from decision_client.audit.hashed_request import RequestHasher
from decision_client.audit.keyed_hash import LocalKey
from decision_client.audit.trail import read_trail
from decision_client.audit.trail_file import TrailFile
from decision_client.scores import calibrated
from decision_client.transport import Reply
from ops import __main__, replay_command
from ops.__main__ import app
from ops.bench_target import Target
from tests.unit.decision_client.audit.records import KEY, STATE, correction, decision, failure
from tests.unit.decision_client.samples import DEFINITION, IDENTITY, answer
from tests.unit.evidence.synthetic import answered, identity, results, write

CANARY = "CANARY-7f3a"


class Endpoint:
    """A transport that answers as `samples.answer`, changed, and keeps what it was sent."""

    def __init__(self) -> None:
        self.changed: dict[str, Any] = {}
        self.sent: list[Any] = []
        self.status = 200

    def send(self, body: bytes, timeout_seconds: float) -> Reply:
        """Answer one decision."""
        assert timeout_seconds > 0
        self.sent.append(json.loads(body))
        asked = self.sent[-1]["decision"]
        said = answer(**{"id": asked["id"], **self.changed}).model_dump(mode="json")
        said["probabilities"] = calibrated(said["option_logits"], 1.0)
        return Reply(self.status, json.dumps({"result": said}).encode())


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Endpoint:
    """Return whom every replay asks."""
    fake = Endpoint()

    def there(target: str, _directory: Path) -> Target:
        assert target == "http://127.0.0.1:8080"
        return Target(target, fake)

    monkeypatch.setattr(replay_command, "target_of", there)
    return fake


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a trail of one record, its request, and its key."""
    TrailFile(tmp_path / "audit.jsonl").append([decision(1)])
    _request(tmp_path)
    key = tmp_path / "key.toml"
    key.write_text(f'id = "{KEY.id}"\nkey = "{KEY.key.hex()}"\n')
    key.chmod(0o600)
    return tmp_path


def _asked(**changed: Any) -> dict[str, Any]:
    options = [each.model_dump() for each in DEFINITION.options]
    return {"id": "case-1", "state": STATE, "question": DEFINITION.question, "options": options} | changed


def _request(folder: Path, *decisions: dict[str, Any]) -> None:
    body = {"decisions": decisions} if len(decisions) > 1 else {"decision": (*decisions, _asked())[0]}
    (folder / "request.json").write_text(json.dumps(body))


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


def _replay(folder: Path, *arguments: object, target: bool = True) -> Result:
    there = ["http://127.0.0.1:8080"] if target else []
    request = ("--request", folder / "request.json", "--key-file", folder / "key.toml")
    return _run("replay", folder / "audit.jsonl", *there, *request, *arguments)


@pytest.mark.parametrize("command", ["replay", "override", "audit"])
def test_every_command_explains_itself(command: str) -> None:
    """`--help` names what it takes."""
    assert "Usage:" in _run(command, "--help").output


def test_same_bits_are_identical(folder: Path, endpoint: Endpoint) -> None:
    """The recorded request is asked once, alone."""
    result = _replay(folder)

    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "The recorded request: state, question and options are those of record r1 (by key 2026-11).",
        "Identity: the same record.",
        "Identical: every logit and the mass are the same bits.",
        "The choice is the same: account.",
    ]
    assert endpoint.sent == [{"decision": _asked()}]


def test_another_number_without_a_floor_is_different(folder: Path, endpoint: Endpoint) -> None:
    """The fields of the identity that changed come first: they explain it."""
    endpoint.changed = {"option_logits": [3.0, 1.5, 0.0], "model": {**IDENTITY, "threads": 4}}

    result = _replay(folder)

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

    result = _replay(folder, "--floor", floor, "--json")

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

    result = _replay(folder, "--floor-from", here)

    assert isinstance(_replay(folder, "--floor-from", elsewhere).exception, __main__.REFUSALS)
    assert result.exit_code == 0
    assert "floor 0.75 (measured on the record's runtime: 2 answers to 1 prompts)" in result.output


def test_changed_choice_ends_with_1_within_the_floor_too(folder: Path, endpoint: Endpoint) -> None:
    """A script that asks whether the decision is the same gets no for an answer."""
    endpoint.changed = {"choice": "billing", "option_logits": [3.0, 3.1, 0.0]}

    result = _replay(folder, "--floor", "3")

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
def test_another_request_is_not_asked(folder: Path, endpoint: Endpoint, changed: dict[str, Any], parts: str) -> None:
    """The hashes say which part differs."""
    _request(folder, _asked(**changed))

    result = _replay(folder)

    assert result.exit_code == 2
    assert f"Not the recorded request: {parts} differ from record r1" in result.output
    assert endpoint.sent == []


def test_without_a_target_only_hashes_are_checked(folder: Path, endpoint: Endpoint) -> None:
    """Whether a request is the recorded one can be shown without an endpoint."""
    result = _replay(folder, target=False)

    assert (result.exit_code, endpoint.sent) == (0, [])
    assert result.output.splitlines()[-1] == "Nothing was asked."


def test_decision_of_a_shared_request_is_found_by_its_id(folder: Path, endpoint: Endpoint) -> None:
    """The others of the request are not asked."""
    _request(folder, _asked(id="other", state="x"), _asked())

    assert _replay(folder).exit_code == 0
    assert [each["decision"]["id"] for each in endpoint.sent] == ["case-1"]


def test_decision_is_found_by_a_hashed_id_too(folder: Path, endpoint: Endpoint) -> None:
    """By whoever has the key."""
    _request(folder, _asked(id="other", state="x"), _asked())
    hashed = RequestHasher(KEY).caller_id("case-1")
    (folder / "audit.jsonl").unlink()
    TrailFile(folder / "audit.jsonl").append([decision(1, caller_id=hashed, caller_id_hashed=True)])

    assert _replay(folder).exit_code == 0
    assert len(endpoint.sent) == 1


def test_record_is_checked_with_the_key_that_made_it(folder: Path, endpoint: Endpoint) -> None:
    """After a rotation both keys are given; the record says which is its own."""
    older = LocalKey("2026-10", b"o" * 32)
    hashes = RequestHasher(older).hashes(STATE, DEFINITION.question, DEFINITION.options)
    TrailFile(folder / "audit.jsonl").append([decision(2, hashes=hashes)])
    assert isinstance(_replay(folder, "--id", "r2").exception, __main__.REFUSALS)
    file = folder / "older.toml"
    file.write_text(f'id = "2026-10"\nkey = "{older.key.hex()}"\n')
    file.chmod(0o600)

    result = _replay(folder, "--id", "r2", "--key-file", file)

    assert result.exit_code == 0
    assert "(by key 2026-10)" in result.output
    assert len(endpoint.sent) == 1


def _no_request(folder: Path) -> None:
    (folder / "request.json").write_text(f'{{"decision": {{"state": "{CANARY}"}}}}')


def _no_json(folder: Path) -> None:
    (folder / "request.json").write_text(f'{{"decision": "{CANARY}')


def _nan(folder: Path) -> None:
    (folder / "request.json").write_text(json.dumps({"decision": _asked(state=[float("nan"), CANARY])}))


def _foreign_ids(folder: Path) -> None:
    _request(folder, _asked(id="x"), _asked(id="y"))


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

    result = _replay(folder, *arguments)

    assert isinstance(result.exception, __main__.REFUSALS)
    assert said in str(result.exception)
    assert CANARY not in str(result.exception) + result.output
    assert endpoint.sent == []


def test_endpoint_that_fails_is_said(folder: Path, endpoint: Endpoint) -> None:
    """In the client's own words."""
    endpoint.status = 400

    assert isinstance(_replay(folder).exception, __main__.REFUSALS)


def test_override_is_appended(folder: Path) -> None:
    """And printed, as a sentence or for programs."""
    trail = folder / "audit.jsonl"

    said = _run("override", "case-1", "--trail", trail, "--choice", "billing", "--by", "ana")
    told = json.loads(_run("override", "r1", "--trail", trail, "--choice", "account", "--by", "ana", "--json").output)

    assert said.output == "r1: account → billing, says ana.\n"
    assert (told["decision"], told["choice"], told["answered"]) == ("r1", "account", "account")
    assert [each.choice for each in read_trail([trail]).overrides.values()] == ["billing", "account"]


@pytest.mark.parametrize(
    ("wanted", "choice"), [("nobody", "billing"), ("r1", "sales"), ("r1", "account")], ids=["id", "option", "again"]
)
def test_override_that_cannot_be_meant_is_refused(folder: Path, wanted: str, choice: str) -> None:
    """An unknown id, an option that was not declared, the same once more."""
    trail = folder / "audit.jsonl"
    _run("override", "r1", "--trail", trail, "--choice", "account", "--by", "ana")
    before = trail.read_bytes()

    result = _run("override", wanted, "--trail", trail, "--choice", choice, "--by", "ana")

    assert isinstance(result.exception, __main__.REFUSALS)
    assert trail.read_bytes() == before


def test_decision_is_found_by_the_id_that_its_record_hashes(folder: Path, endpoint: Endpoint) -> None:
    """Whoever has the key file can correct and replay it by the id that the application knows."""
    trail = folder / "audit.jsonl"
    hashed = RequestHasher(KEY).caller_id("case-2")
    TrailFile(trail).append([decision(2, caller_id=hashed, caller_id_hashed=True)])
    override = ("override", "case-2", "--trail", trail, "--choice", "billing", "--by", "ana")

    assert isinstance(_run(*override).exception, __main__.REFUSALS)
    assert _run(*override, "--key-file", folder / "key.toml").output == "r2: account → billing, says ana.\n"
    assert _replay(folder, "--id", "case-2").exit_code == 0
    assert len(endpoint.sent) == 1


def test_trail_is_counted(folder: Path) -> None:
    """Over all definitions and for each, kinds that did not occur left out."""
    trail = folder / "audit.jsonl"
    TrailFile(trail).append([decision(2), failure(3, "DeadlineExceededError"), correction(1, decision(2), "none")])

    result = _run("audit", trail)

    assert result.exit_code == 0
    assert [line.split() for line in result.output.splitlines()[:9]] == [
        ["all", "definitions"],
        ["asked", "3"],
        ["answered", "2"],
        ["timeouts", "1"],
        ["attempts", "3"],
        ["acted", "2"],
        ["corrected", "1"],
        ["acted", "corrected", "1"],
        ["override", "rate", "50.0%"],
    ]


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        ((), 3),
        (("--since", "2026-11-30T03:20:02Z"), 2),
        (("--until", "2026-11-30T03:20:02Z"), 1),
        (("--since", "2026-12-01"), 0),
    ],
)
def test_trail_is_counted_between_two_times(folder: Path, arguments: tuple[str, ...], asked: int) -> None:
    """The first is in, the second is out; both are UTC."""
    trail = folder / "audit.jsonl"
    TrailFile(trail).append([decision(2), failure(3, "EndpointBusyError"), correction(1, decision(2), "none")])

    told = json.loads(_run("audit", trail, "--json", *arguments).output)

    assert told["total"]["asked"] == asked
    assert told["overrides_of_unknown"] == 0


def test_line_that_is_no_record_is_named(folder: Path) -> None:
    """A script that counts gets 1."""
    trail = folder / "audit.jsonl"
    with trail.open("a") as file:
        file.write(f'{{"state": "{CANARY}"')

    result = _run("audit", trail)

    assert result.exit_code == 1
    assert result.output.splitlines()[-1] == f"{trail}:2: is no record."
