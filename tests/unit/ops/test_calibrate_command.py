"""`ops calibrate` as it is typed."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from decision_client.policy import read_policy
from evidence.records import Answered
from ops import __main__
from ops.__main__ import app
from tests.unit.evidence.synthetic import Scorer, answered, definition, identity, results, write

RISK = ("--target-risk", "0.1", "--confidence", "0.9", "--min-margin", "0")


def _file(folder: Path, answers: list[Answered], name: str = "results") -> str:
    return str(write(results(answers, note="labels made by a model"), folder / f"{name}.jsonl"))


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["calibrate", *arguments])


def _refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    monkeypatch.setattr(sys, "argv", ["ops", "calibrate", *arguments])
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert ended.value.code == 2
    (sentence,) = capsys.readouterr().err.splitlines()
    return sentence


def test_calibrate_writes_a_policy_and_says_what_it_rests_on(tmp_path: Path) -> None:
    """Temperature, figures before and after, order, threshold and note are said; the file is the client's."""
    answers = Scorer(3.0, spread=3.0).answers(900, 1, rotations=3)
    shown = _run(_file(tmp_path, answers), *RISK, "--out", str(tmp_path / "policies"))

    assert shown.exit_code == 0, shown.output
    assert "results.jsonl" not in shown.output
    assert "tasks.jsonl: labels made by a model" in shown.output
    assert "to the one of the folds without them" in shown.output
    assert "order: 0 of 900 tasks" in shown.output
    policy = read_policy(tmp_path / "policies" / "synthetic-1.toml")
    assert policy.version == "2026-01-02"
    assert f"act: {policy.thresholds.act:g}, for a risk of 0.1" in shown.output
    told, tested = policy.evidence["act"], {each["threshold"]: each for each in policy.evidence["act"]["tested"]}
    covered, of = tested[policy.thresholds.act]["covered"], policy.evidence["tasks"]["certifying"]
    assert f"covers {covered} of {of} certifying tasks, {covered / of:.1%}" in shown.output
    assert told["coverage"] == round(covered / of, 4)


def test_calibrate_writes_nothing_without_a_threshold(tmp_path: Path) -> None:
    """Ten labels: the number that is missing is said, the code is 1, and there is no file."""
    shown = _run(_file(tmp_path, Scorer().answers(10, 1)), *RISK, "--out", str(tmp_path / "policies"))

    assert shown.exit_code == 1
    assert "more labels at the least" in shown.output
    assert not list((tmp_path / "policies").glob("*"))


def test_calibrate_does_not_overwrite_a_reviewed_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is refused in one sentence, unless --replace is given."""
    file, out = _file(tmp_path, Scorer(spread=4.0).answers(600, 1)), str(tmp_path / "policies")
    assert _run(file, *RISK, "--out", out).exit_code == 0
    before = (tmp_path / "policies" / "synthetic-1.toml").read_bytes()

    assert "is there already" in _refused(monkeypatch, capsys, file, *RISK, "--out", out, "--seed", "1")
    assert [each.read_bytes() for each in (tmp_path / "policies").iterdir()] == [before]
    assert _run(file, *RISK, "--out", out, "--seed", "1", "--policy-version", "2", "--replace").exit_code == 0
    assert read_policy(tmp_path / "policies" / "synthetic-1.toml").version == "2"


def test_calibrate_refuses_two_wordings_of_one_version_before_it_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their policies would be one file."""
    other = definition().model_copy(update={"question": "Which is it?"}).reference
    answers = Scorer(spread=4.0).answers(600, 1)
    answers += [each.model_copy(update={"task": f"b-{each.task}", "definition": other}) for each in answers]
    out = tmp_path / "policies"

    assert "two wordings" in _refused(monkeypatch, capsys, _file(tmp_path, answers), *RISK, "--out", str(out))
    assert not out.exists()


def test_check_ends_with_0_1_or_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """0 where the thresholds hold, also elsewhere; 1 where they do not; 2 where there is nothing to check."""
    answers, out = Scorer(3.0, spread=3.0).answers(900, 1), tmp_path / "policies"
    file, policy = _file(tmp_path, answers), str(out / "synthetic-1.toml")
    assert _run(file, *RISK, "--out", str(out)).exit_code == 0

    held = _run(file, "--check", policy)
    assert (held.exit_code, "holds" in held.output) == (0, True), held.output
    there = identity(device="T4")
    moved = results(
        [each.model_copy(update={"identity": there.sha256}) for each in answers], there, note="labels made by a model"
    )
    elsewhere = _run(str(write(moved, tmp_path / "moved.jsonl")), "--check", policy)
    assert elsewhere.exit_code == 0
    assert "tasks.jsonl: labels made by a model" in elsewhere.output
    assert (
        "cpu-zen4, 0 layers offloaded, canonical: the policy covers it, and no answer here is from it"
        in elsewhere.output
    )
    assert "runtime: the policy is for cpu-zen4" in elsewhere.output
    assert "The evidence supports the same thresholds" in elsewhere.output
    wrong = [each.model_copy(update={"gold": "abc"["abc".index(each.choice) - 1]}) for each in answers]
    broken = _run(_file(tmp_path, wrong, "wrong"), "--check", policy, "--json")
    assert broken.exit_code == 1
    assert json.loads(broken.output)["thresholds"][0]["verdict"] == "broken"
    nothing = _file(tmp_path, [answered("t1", definition=None)], "nothing")
    assert "no answers of synthetic" in _refused(monkeypatch, capsys, nothing, "--check", policy)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "give --target-risk"),
        (("--target-risk", "0.1", "--check", "p.toml"), "give --target-risk"),
        (("--target-risk", "1"), "target_risk: is not between 0 and 1"),
        (("--target-risk", "0.1", "--labels", "missing.jsonl"), "cannot be read"),
        (("--check", "missing.toml"), "cannot be read"),
    ],
)
def test_calibrate_refuses_in_one_sentence(
    arguments: tuple[str, ...],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With 2 as the code, and before anything is written."""
    monkeypatch.chdir(tmp_path)
    assert sentence in _refused(monkeypatch, capsys, _file(tmp_path, Scorer().answers(5, 1)), *arguments)
    assert not (tmp_path / "policies").exists()


def test_json_holds_policies_and_what_has_none(tmp_path: Path) -> None:
    """For programs: the policy with its file, and the evidence of what words itself."""
    inline = [
        each.model_copy(update={"task": f"i-{each.task}", "definition": None}) for each in Scorer().answers(40, 2)
    ]
    answers = [*Scorer(spread=4.0).answers(600, 1), *inline]
    shown = _run(_file(tmp_path, answers), *RISK, "--out", str(tmp_path / "policies"), "--json")

    found = json.loads(shown.output)
    assert shown.exit_code == 1
    assert [each["definition"]["name"] for each in found["policies"]] == ["synthetic"]
    assert found["policies"][0]["file"].endswith("synthetic-1.toml")
    assert [each["definition"] for each in found["without_policy"]] == [None]
    assert "more labels" in found["without_policy"][0]["act"]["missing"]
