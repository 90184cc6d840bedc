"""The figures of a run as lines of text."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evidence.figures import Figures
    from evidence.statistics import Percentiles, Share
    from evidence.summary import Phase, Summary


def lines(summary: "Summary") -> Iterator[str]:
    """Say what a run came to: provenance first, each phase, then what answered."""
    run = summary.run
    yield f"Run {run.id[:12]} of {run.target}, {run.started}"
    for file in run.tasks:
        yield f"Tasks: {shown(file.name)}, {file.rows} rows, SHA-256 {file.sha256[:12]}…"
    for name, note in summary.notes.items():
        yield f"NOTE on every figure that {shown(name)} is part of: {shown(note)}"
    if summary.superseded:
        yield f"Resumed: {summary.superseded} failures were asked again."
    if summary.unasked:
        left = ", ".join(f"{number} of {phase}" for phase, number in summary.unasked.items())
        yield f"UNFINISHED: decisions that were not asked: {left}."
    first: Phase | None = None
    for phase in summary.phases:
        yield ""
        yield from _phase(phase, first)
        first = first or phase
    yield ""
    if summary.mixed:
        yield f"MIXED: {len(summary.identities)} identities answered; figures of different ones are not averaged."
    for digest, record in summary.identities.items():
        yield f"Identity {digest[:12]}…: {record.model_dump_json()}"


def _phase(phase: "Phase", first: "Phase | None") -> Iterator[str]:
    yield f"{phase.name}: {phase.answered} of {phase.decisions} decisions answered in {phase.seconds:.1f} s"
    yield (
        f"  requests    {phase.requests}, attempts {phase.attempts} (amplification {phase.amplification:.2f}), "
        f"rejections {phase.rejections}, retries {phase.retries}"
    )
    yield f"  throughput  {phase.throughput:.2f} decisions a second"
    for error, number in phase.errors.items():
        yield f"  error       {number} decisions: {shown(error)}"
    if phase.not_begun:
        yield f"  not begun   {phase.not_begun} requests: too many were outstanding"
    if phase.latest_seconds:
        yield f"  late        at most {phase.latest_seconds:.3f} s after its time"
    for seen in phase.scale_outs:
        yield f"  scaling     {_scaling(seen.breached_seconds, seen.desired_seconds, seen.capacity_seconds)}"
    if phase.mixed:
        yield f"  MIXED       {len(phase.figures)} identities answered; each has its own figures, failures are in none:"
    for figures in phase.figures:
        if phase.mixed:
            yield f"  identity    {figures.identity[:12]}…"
        yield from _accuracy(figures, first)
        yield from _figures(figures)


def _accuracy(figures: "Figures", first: "Phase | None") -> Iterator[str]:
    yield f"  valid       {_share(figures.valid)}"
    yield f"  accuracy    {_share(figures.accuracy)}"
    splits = _splits(figures)
    if first and any(splits == _splits(each) for each in first.figures):
        yield f"    by {', '.join(list(splits)[:-1])} and {list(splits)[-1]} as in {first.name}"
        return
    for kind, split in splits.items():
        for name, share in split.items():
            yield f"    {kind:<9} {shown(name):<22} {_share(share)}"


def _splits(figures: "Figures") -> "dict[str, dict[str, Share]]":
    of_files = {"file": figures.by_file} if len(figures.by_file) > 1 else {}
    return {"type": figures.by_type, "family": figures.by_family, **of_files}


def _figures(figures: "Figures") -> Iterator[str]:
    for name, found in (("client", figures.client), ("forward", figures.forward), ("queue", figures.queue)):
        if found:
            yield f"  {name:<11} {_seconds(found)}"
    if tokens := figures.input_tokens:
        yield f"  tokens      {figures.tokens} in all; p50 {tokens.p50:.0f}, at most {tokens.greatest:.0f} a prompt"
    if figures.unstable:
        yield f"  unstable    {figures.unstable} tasks whose repeats do not all choose the same"


def _share(share: "Share") -> str:
    return f"{share.count} of {share.total}, {share.value:.1%} (95 %: {share.low:.1%} to {share.high:.1%})"


def _seconds(found: "Percentiles") -> str:
    return f"p50 {found.p50:.3f} s, p95 {found.p95:.3f} s, p99 {found.p99:.3f} s, longest {found.greatest:.3f} s"


def _scaling(breached: float | None, desired: float | None, capacity: float | None) -> str:
    if breached is None:
        return "the target was not breached"
    asked = "no more were asked for" if desired is None else f"more asked for after {desired - breached:.0f} s"
    came = "no new capacity within the run" if capacity is None else f"new capacity after {capacity - breached:.0f} s"
    return f"breached at {breached:.0f} s; {asked}, {came}"


def shown(text: str) -> str:
    """Return a caller's text as it is, or quoted if a terminal would obey it."""
    return text if text.isprintable() else repr(text)
