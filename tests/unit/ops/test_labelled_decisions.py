"""Labelled decisions from files: corrected labels and audit trails."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from decision_client.audit.hashed_request import RequestHasher
from decision_client.audit.record import DecisionRecord, Hashes, OverrideRecord, Scores
from decision_client.outcome import outcome
from evidence.calibration.check import check
from evidence.calibration.errors import CalibrationError
from evidence.calibration.trail import NOTE
from evidence.records import Answered, Failed
from evidence.results import ResultsError
from ops.evidence.labelled_decisions import read_labelled
from tests.unit.decision_client import samples
from tests.unit.decision_client.audit.records import KEY, STATE
from tests.unit.evidence.synthetic import answered, failed, results, write

TIME = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def _record(number: int, *, hashes: Hashes | None = None, **changed: Any) -> DecisionRecord:
    answer = samples.answer(**changed)
    return DecisionRecord(
        id=f"r{number}",
        time=TIME,
        caller_id="",
        definition=samples.DEFINITION.reference,
        type=samples.DEFINITION.type,
        option_ids=answer.option_ids,
        abstain_option=samples.DEFINITION.abstain_option,
        hashes=hashes,
        policy=None,
        seconds=0.2,
        waited_seconds=0.0,
        attempts=1,
        refusals=0,
        shared=1,
        identity=answer.model,
        scores=Scores.of(answer),
        outcome=outcome(samples.DEFINITION, answer, None),
    )


def _override(decision: str, choice: str, *, minutes: int = 0) -> OverrideRecord:
    return OverrideRecord(
        id=f"o-{decision}-{minutes}",
        time=TIME.replace(minute=10 + minutes),
        caller_id="",
        decision=decision,
        definition=samples.DEFINITION.reference,
        answered="account",
        choice=choice,
        by="somebody",
    )


def _trail(folder: Path, *records: DecisionRecord | OverrideRecord) -> str:
    file = folder / "trail.jsonl"
    file.write_text("".join(f"{record.model_dump_json()}\n" for record in records), encoding="utf-8")
    return str(file)


def test_trail_gives_the_decisions_that_somebody_labelled(tmp_path: Path) -> None:
    """The last word on each counts, a confirmation is a label too, and the rest is left out."""
    file = _trail(
        tmp_path,
        *(_record(number) for number in range(3)),
        _override("r0", "account"),
        _override("r1", "account", minutes=2),
        _override("r1", "billing", minutes=3),
    )
    found = read_labelled(file)
    assert [(each.task, each.correct) for each in found.answers] == [("r0", True), ("r1", False)]
    assert found.files[0].note == NOTE
    assert found.binding.gguf_sha256 == "a" * 64
    assert [len(answers) for answers in found.runtimes.values()] == [2]
    assert found.answers[0].confidence() == pytest.approx(samples.answer().probabilities[0])


def test_trail_without_a_label_or_with_an_undeclared_one_is_refused(tmp_path: Path) -> None:
    """There is nothing to conclude from decisions that nobody looked at."""
    with pytest.raises(CalibrationError, match="no answer with a label"):
        read_labelled(_trail(tmp_path, _record(0)))
    with pytest.raises(CalibrationError, match="decision r0: its label is none of the options"):
        read_labelled(_trail(tmp_path, _record(0), _override("r0", "sales")))
    with pytest.raises(CalibrationError, match="corrected with `override`"):
        read_labelled(_trail(tmp_path, _record(0), _override("r0", "account")), tmp_path / "labels.jsonl")


def test_trail_keeps_abstentions_apart(tmp_path: Path) -> None:
    """An answer that chose the abstain option is marked as the client treats it."""
    record = _record(0, choice="none", option_logits=[0.0, 1.0, 3.0])
    (found,) = read_labelled(_trail(tmp_path, record, _override("r0", "none"))).answers
    assert (found.abstains, found.correct) == (True, True)


HASHES = RequestHasher(KEY).hashes(STATE, samples.DEFINITION.question, samples.DEFINITION.options)


def test_request_that_was_decided_again_is_one_task(tmp_path: Path) -> None:
    """Thirty labels of one text show as much as one: the first counts, on each runtime, under the text's own name."""
    gpu = {**samples.IDENTITY, "backend": "CUDA", "device": "L40S", "layers_offloaded": 3}
    again = [_record(number, hashes=HASHES, model=gpu if number > 27 else samples.IDENTITY) for number in range(30)]
    file = _trail(tmp_path, *again, _record(30), *(_override(f"r{number}", "account") for number in range(31)))
    found = read_labelled(file)
    assert len(found.answers) == len({each.task for each in found.answers}) == 2
    assert sorted(len(answers) for answers in found.runtimes.values()) == [1, 2]
    assert found.remarks == ("29 labelled decisions are of a request that counts already, and are left out",)
    later = read_labelled(_trail(tmp_path, _record(99, hashes=HASHES), _override("r99", "account")))
    assert later.answers[0].task in {each.task for each in found.answers}


def test_other_text_or_wording_is_another_task(tmp_path: Path) -> None:
    """Equal states are one only under one definition, and what the key could not hash is one by itself."""
    other = RequestHasher(KEY).hashes("other", samples.DEFINITION.question, samples.DEFINITION.options)
    reworded = samples.DEFINITION.reference.model_copy(update={"version": "2"})
    records = [
        _record(0, hashes=HASHES),
        _record(1, hashes=other),
        _record(2),
        _record(3),
        _record(4, hashes=HASHES).model_copy(update={"definition": reworded}),
    ]
    found = read_labelled(_trail(tmp_path, *records, *(_override(f"r{number}", "account") for number in range(5))))
    assert len(found.answers) == 5
    assert found.remarks == ()


def test_lines_of_a_trail_that_are_no_records_are_said(tmp_path: Path) -> None:
    """A torn line may have been a label, so whoever reads the figures knows of it."""
    file = Path(_trail(tmp_path, _record(0), _override("r0", "account")))
    with file.open("a") as trail:
        trail.write('{"kind": "override", "choice": "bil')
    assert read_labelled(str(file)).remarks == ("1 lines of the trail are no records, and what they held is missing",)


def _results(lines: list[Answered | Failed], folder: Path) -> str:
    return str(write(results(lines), folder / "results.jsonl"))


def _labels(folder: Path, *lines: str) -> Path:
    file = folder / "labels.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def test_labels_replace_what_the_results_say(tmp_path: Path) -> None:
    """A corrected label makes a right answer wrong; tasks without one keep theirs."""
    file = _results([answered("t1"), answered("t2"), failed("t3")], tmp_path)
    labels = _labels(tmp_path, '{"task": "t1", "gold": "b"}', "", '{"task": "t3", "gold": "b"}')
    found = read_labelled(file, labels)
    assert [(each.task, each.correct) for each in found.answers] == [("t1", False), ("t2", True)]
    assert len(found.missed) == 1
    corrected = found.files[-1]
    assert (corrected.name, corrected.rows) == ("labels.jsonl", 2)
    assert corrected.sha256 == hashlib.sha256(labels.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"task": "t1", "gold": "z"}', ":2: gold is none of the options that were asked"),
        ('{"task": "t9", "gold": "a"}', ":2: no such task was asked"),
        ('{"task": "t2", "gold": "a"}', ":2: the task has a label already"),
        ('{"task": "t1"}', ":2: Field required"),
        ('{"task": "t1", "gold": "a", "by": "me"}', ":2: Extra inputs are not permitted"),
        ("no JSON", ":2: Invalid JSON"),
    ],
)
def test_wrong_label_is_refused_with_its_line(line: str, sentence: str, tmp_path: Path) -> None:
    """Undeclared, unknown, repeated, incomplete or broken: the line is named and its content is not."""
    file = _results([answered("t1"), answered("t2")], tmp_path)
    with pytest.raises(CalibrationError, match=sentence) as refused:
        read_labelled(file, _labels(tmp_path, '{"task": "t2", "gold": "b"}', line))
    assert '"me"' not in str(refused.value)


def test_file_that_is_neither_results_nor_trail_is_refused(tmp_path: Path) -> None:
    """As a results file that breaks the rules, with its line."""
    file = tmp_path / "other.jsonl"
    file.write_text("something\n", encoding="utf-8")
    with pytest.raises(ResultsError, match=r"other\.jsonl:1: "):
        read_labelled(str(file))


def test_trail_of_some_time_holds_its_decisions_whenever_they_were_labelled(tmp_path: Path) -> None:
    """Decisions before it are left out; a results file has no such time."""
    late = _record(1).model_copy(update={"time": TIME.replace(hour=9)})
    file = _trail(tmp_path, _record(0), late, _override("r0", "account"), _override("r1", "account"))
    found = read_labelled(file, since=TIME.replace(hour=8))
    assert [each.task for each in found.answers] == ["r1"]
    with pytest.raises(CalibrationError, match="--since"):
        read_labelled(_results([answered("t1")], tmp_path), since=TIME)


def test_earlier_part_of_a_trail_that_grows_is_not_unseen(tmp_path: Path) -> None:
    """Its digest changes with each line, so times tell: what came after the policy's last decision is new."""
    late = _record(1).model_copy(update={"time": TIME.replace(hour=9)})
    file = _trail(tmp_path, _record(0), late, _override("r0", "account"), _override("r1", "account"))
    until = TIME.isoformat(timespec="seconds")
    made = samples.policy(evidence={"run": "trail.jsonl", "started": until})
    with pytest.raises(CalibrationError, match=r"--unseen: the policy was made from trail\.jsonl until 2026-01-02"):
        check(made, read_labelled(file), unseen=True)
    assert check(made, read_labelled(file, since=TIME.replace(hour=8)), unseen=True).answers == 1
    other = samples.policy(evidence={"run": "another.jsonl", "started": until})
    assert check(other, read_labelled(file), unseen=True).answers == 2
