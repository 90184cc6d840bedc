"""A policy as it is read: what a hand can break is refused by key, what it can change has another digest."""

from pathlib import Path
from typing import Any

import pytest

from decision_client.errors import FileError
from decision_client.outcome import Action, outcome
from decision_client.policy import DecisionPolicy, read_policy
from evidence.calibration.policy_file import text
from tests.unit.decision_client.samples import DEFINITION, answer, policy


def _read(folder: Path, *changes: tuple[str, str]) -> DecisionPolicy:
    written = text(policy())
    for old, new in changes:
        assert written.count(old) == 1, (old, written)
        written = written.replace(old, new)
    file = folder / "policy.toml"
    file.write_text(written, encoding="utf-8")
    return read_policy(file)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("act = 0.7", "act = 1.2", "thresholds.act: "),
        ("act = 0.7", "act = -0.1", "thresholds.act: "),
        ("act = 0.7", "act = nan", "thresholds.act: "),
        ("act = 0.7", 'act = "0.7"', "thresholds.act: "),
        ("act = 0.7", "act = true", "thresholds.act: "),
        ("act = 0.7", "act = 0.3", "thresholds: .*review: is greater than act"),
        ("act = 0.7", "akt = 0.7", "thresholds.akt: Extra inputs"),
        ("min_mass = 0.5\n", "", "thresholds.min_mass: Field required"),
        ("min_margin = 0.1\n", "", "thresholds.min_margin: Field required"),
        ("target_risk = 0.1", "target_risk = 0.0", "thresholds.target_risk: "),
        ("confidence = 0.95", "confidence = 1.0", "thresholds.confidence: "),
        ("temperature = 1.0", "temperature = 0.0", "temperature: "),
        ("temperature = 1.0", "temperature = inf", "temperature: "),
        ("temperature = 1.0", 'temperature = "1.0"', "temperature: "),
        ('gguf_sha256 = "a', 'gguf_sha256 = "A', "binding.gguf_sha256: "),
        ("[[runtimes]]", "[[runtime]]", "runtimes: Field required"),
        ("serving_path = ", "path = ", "runtimes.0.serving_path: Field required"),
        ("[thresholds]", "[thresholds", "cannot be read"),
    ],
)
def test_policy_that_breaks_a_rule_is_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    """The key and the rule are named; nothing is guessed in their place."""
    with pytest.raises(FileError, match=says):
        _read(tmp_path, (old, new))


@pytest.mark.parametrize(
    ("old", "new", "acts"),
    [
        ("act = 0.7", "act = 0.95", False),
        ("act = 0.7\n", "", False),
        ('backend = "cpu-zen4"', 'backend = "cpu-zen3"', False),
        ('image_digest = "sha256:d', 'image_digest = "sha256:e', False),
        ("temperature = 1.0", "temperature = 9.0", False),
        ("act = 0.7", "act = 0.5", True),
    ],
)
def test_policy_that_was_edited_has_another_digest(tmp_path: Path, old: str, new: str, *, acts: bool) -> None:
    """The client does what the file says, and every record of it names the digest of what it said."""
    edited = _read(tmp_path, (old, new))
    assert edited.sha256 != policy().sha256
    assert (outcome(DEFINITION, answer(), edited).action is Action.ACT) == acts


def test_figures_decide_nothing_and_belong_to_the_digest() -> None:
    """Whoever embellishes them has another file."""
    figures: list[dict[str, Any]] = [{}, {"act": {"tested": []}}, {"act": "anything"}]
    made = [policy(evidence=each) for each in figures]
    assert len({each.sha256 for each in made}) == len(made)
    assert {outcome(DEFINITION, answer(), each).action for each in made} == {Action.ACT}
