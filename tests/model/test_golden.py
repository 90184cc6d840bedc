"""A library that computes something else is not served."""

from pathlib import Path

import numpy as np
import pytest

from semif import golden
from semif.decision import StartFailure
from semif.engine import Scored, Work
from semif.golden import GOLDEN_LOGITS, TOLERANCE, run_golden_decision
from semif.llama.binding import Library
from semif.llama.engine import LlamaEngine
from tests.model.process import SMOLLM2_PROMPT, environment, run

pytestmark = pytest.mark.model

COMPUTES_SOMETHING_ELSE = """
import sys
from importlib.abc import MetaPathFinder

class Patch(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "semif.start":  # not yet compared with
            from semif import golden
            golden.GOLDEN_LOGITS = (0.0, 0.0, 0.0)
        return None

sys.meta_path.insert(0, Patch())
"""


@pytest.mark.parametrize("letter", [0, 1, 2])
@pytest.mark.parametrize("sign", [-1, 1])
def test_each_letter_of_the_golden_decision_counts(
    library: Library, monkeypatch: pytest.MonkeyPatch, letter: int, sign: int
) -> None:
    """A letter that is off by more than the tolerance, to either side, ends the start; the logits are named."""
    known = list(run_golden_decision(library))
    known[letter] += sign * TOLERANCE * 1.01
    monkeypatch.setattr(golden, "GOLDEN_LOGITS", tuple(known))

    with pytest.raises(StartFailure, match=r"the self-test's logits are \(.*\) where \(.*\) are known"):
        run_golden_decision(library)


def test_golden_logits_are_met_well_within_the_tolerance(library: Library) -> None:
    """This build is far from the edge, so another CPU's rounding is no failure."""
    for got, known in zip(run_golden_decision(library), GOLDEN_LOGITS, strict=True):
        assert abs(got - known) < TOLERANCE / 2


def test_a_golden_decision_that_is_no_number_ends_the_start(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """One number of the vocabulary is enough."""
    score = LlamaEngine.score

    def broken(engine: LlamaEngine, work: Work) -> Scored:
        scored = score(engine, work)
        scored.logits[0][0] = np.nan
        return scored

    monkeypatch.setattr(LlamaEngine, "score", broken)

    with pytest.raises(StartFailure, match="the self-test's logits are not finite"):
        run_golden_decision(library)


def test_a_container_whose_library_computes_something_else_does_not_start(
    tmp_path: Path, models: dict[str, Path]
) -> None:
    """The golden decision is scored at every start, not only when the image is built."""
    (tmp_path / "sitecustomize.py").write_text(COMPUTES_SOMETHING_ELSE)
    variables = environment(models["hybrid"], SMOLLM2_PROMPT)
    variables["PYTHONPATH"] = f"{tmp_path}:{variables['PYTHONPATH']}"

    ended = run(variables)

    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("semif: the self-test's logits are (")
    assert ended.stderr.count("\n") == 1
