"""Whether ours says what the reference says, and to the bit what the engine says when nothing is resident."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.plain_decode import Logits
from benchmarks.workload import Body

# How a prompt is cut into decodes moves the logits of quantized weights: by up to 2.8 on Gemma-270M and 0.5 on SmolLM2.
# The letters move together, so their differences, which alone decide, move less: up to 0.74 and 0.28.
LOGIT_TOLERANCE = 5.0
MARGIN_TOLERANCE = 1.5


@dataclass(slots=True)
class Agreement:
    """What was compared so far; `flips` are other choices than the reference's, `near` those within the tolerance."""

    compared: int = 0
    flips: int = 0
    near: int = 0
    largest_logit: float = 0.0
    largest_margin: float = 0.0
    exact: int = 0
    inexact: int = 0
    faults: list[str] = field(default_factory=list)

    def with_reference(self, result: Body, logits: Logits) -> None:
        """Compares an answered decision with the reference's full-vocabulary logits of it."""
        ours: list[float] = result["option_logits"]
        theirs = [float(logits[id_]) for id_ in result["answer_token_ids"]]
        moved = [mine - other for mine, other in zip(ours, theirs, strict=True)]
        margin = max(moved) - min(moved)
        self.compared += 1
        self.largest_logit = max(self.largest_logit, *map(abs, moved))
        self.largest_margin = max(self.largest_margin, margin)
        if margin > MARGIN_TOLERANCE or max(map(abs, moved)) > LOGIT_TOLERANCE:
            self.faults.append(f"{result['id']}: logits {ours}, the reference's {theirs}")
        if ours.index(max(ours)) != theirs.index(max(theirs)):
            if max(theirs) - theirs[ours.index(max(ours))] > MARGIN_TOLERANCE:
                self.flips += 1
                self.faults.append(f"{result['id']}: another choice than the reference's")
            else:
                self.near += 1

    def with_expected(self, results: Sequence[Body], logits: Sequence[Logits]) -> None:
        """Compares answered decisions with the logits they must have: every bit counts."""
        for result, expected in zip(results, logits, strict=True):
            if result["option_logits"] == [float(expected[id_]) for id_ in result["answer_token_ids"]]:
                self.exact += 1
            else:
                self.inexact += 1
                self.faults.append(f"{result['id']}: not bit-identical with the expected logits")

    def summary(self) -> str:
        """Two sentences for people."""
        return (
            f"ours and reference: {self.compared} decisions, {self.flips} other choices ({self.near} more where the "
            f"reference's margin is below {MARGIN_TOLERANCE}), logits differ by at most {self.largest_logit:.3g} "
            f"(tolerance {LOGIT_TOLERANCE}), margins by {self.largest_margin:.3g} (tolerance {MARGIN_TOLERANCE}).\n"
            f"ours and the engine alone, nothing resident: {self.exact} of {self.exact + self.inexact} bit-identical."
        )
