"""`ops compare`: two results files, and whether they differ by more than noise."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evidence.results import read_results
from ops.evidence.libraries import evidence_libraries
from ops.options import OUT, AsJson
from ops.report import print_json, printable, say

if TYPE_CHECKING:
    from evidence.compare import Comparison, Flip, Scores
    from evidence.ratios import Ratio

File = Annotated[Path, typer.Argument(help="A results file of `ops bench`.")]


def compare(
    a: File,
    b: File,
    *,
    floor: Annotated[Path | None, typer.Option(help="Another run of what A is; A's own repeats count anyway.")] = None,
    phase: Annotated[str | None, typer.Option(help="Part of the runs, such as closed-4; A's first by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compare B with A, task by task. Ends with 1 if B is shown to be better or worse, 0 if no difference is shown."""
    with evidence_libraries():
        from evidence.compare import compare as compared  # noqa: PLC0415 - the other commands do without scipy
        from evidence.verdict import Finding  # noqa: PLC0415 - so does it
    found = compared(read_results(a), read_results(b), floor=read_results(floor) if floor else None, phase=phase)
    if as_json:
        print_json(OUT, asdict(found))
    else:
        for line in lines(found):
            say(OUT, line)
    raise typer.Exit(int(found.verdict.finding in (Finding.WORSE, Finding.BETTER)))


def lines(found: "Comparison") -> Iterator[str]:
    """Say what was found, the verdict first."""
    yield found.verdict.sentence
    yield f"Compared: {found.counts.tasks} tasks of {found.phase}, each once{_left_out(found)}."
    yield from _provenance(found)
    if found.reworded or found.prompts_changed:
        yield f"Wording: {found.reworded} tasks have another definition, {found.prompts_changed} another prompt."
    for each in found.ratios:
        yield _ratio(each) + _repeated(found, each.statistic)
    if not found.identity:
        yield "Identity: the same record in both."
    yield from (f"Identity: {each.field}: {each.a} → {each.b}" for each in found.identity)
    yield from (line for flip in found.flips for line in _flip(flip))


def _provenance(found: "Comparison") -> Iterator[str]:
    told = found.provenance
    for name, note in told.notes:
        yield f"NOTE on every figure that {printable(name)} is part of: {printable(note)}"
    if told.unasked_a or told.unasked_b:
        yield f"UNFINISHED: decisions that were not asked: {told.unasked_a} of A, {told.unasked_b} of B."
    for each in told.files:
        yield f"Tasks: {printable(each.name)}: SHA-256 {_digests(each.a)} → {_digests(each.b)}"


def _digests(digests: tuple[str, ...]) -> str:
    return ", ".join(f"{each[:12]}…" for each in digests) or "(not asked)"


def _left_out(found: "Comparison") -> str:
    return f"; {found.only_a} are in A alone, {found.only_b} in B alone" if found.only_a or found.only_b else ""


def _ratio(each: "Ratio") -> str:
    bounds = "" if each.low is None else f", 95 % interval {each.low:.3f} to {each.high:.3f}"
    return f"Seconds, {each.statistic}: {each.a_seconds:.4f} → {each.b_seconds:.4f}, ratio {each.ratio:.3f}{bounds}"


def _repeated(found: "Comparison", statistic: str) -> str:
    ratios = [each.ratio for of_one in found.repeat_ratios for each in of_one if each.statistic == statistic]
    if not ratios:
        return ""
    if len(ratios) == 1:
        return f"; a repeat of A {ratios[0]:.3f}"
    return f"; {len(ratios)} repeats of A {min(ratios):.3f} to {max(ratios):.3f}"


def _flip(flip: "Flip") -> Iterator[str]:
    yield f"Flip: {printable(flip.task)} ({printable(flip.family)}), right is {printable(flip.gold)}"
    yield f"  A {_scores(flip.a)}"
    yield f"  B {_scores(flip.b)}"


def _scores(scores: "Scores") -> str:
    shares = ", ".join(f"{printable(option)} {share:.4f}" for option, share in scores.probabilities.items())
    return f"{'right' if scores.right else 'wrong'}: {printable(scores.choice)} ({shares or 'no answer'})"
