"""`ops bench`: labelled decisions, asked and counted."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from config.loader import ENVIRONMENTS_DIRECTORY
from config.rules import ConfigurationError
from decision_client.asking import DEADLINE_SECONDS
from evidence.asker import EndpointAsker
from evidence.benchmark import Told, run
from evidence.exchange import EndpointGoneError
from evidence.results import read_results
from evidence.results_log import ResultsLog
from ops.checkout import ROOT
from ops.evidence.bench_plan import Asked, header, labelled, plan
from ops.evidence.bench_target import target as target_of
from ops.evidence.bench_text import lines
from ops.evidence.libraries import evidence_libraries
from ops.evidence.report_command import write
from ops.options import OUT, AsJson, Directory
from ops.report import print_json, say

_INTERRUPTED = 130


def bench(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="An environment, or a container's URL.")],
    *,
    tasks: Annotated[list[Path], typer.Option(metavar="FILE...", help="Task files, or folders of *.jsonl.")],
    definitions: Annotated[
        Path | None, typer.Option(help="The decision definitions; `definitions` beside each file by default.")
    ] = None,
    note: Annotated[
        list[str] | None, typer.Option(metavar="FILE=TEXT", help="What must be said with figures of a task file.")
    ] = None,
    sequential: Annotated[
        bool, typer.Option("--sequential", help="One after the other; the default if no other phase is asked for.")
    ] = False,
    concurrency: Annotated[
        list[str] | None, typer.Option(metavar="N...", help="Closed loops: numbers of clients, such as 1 4 16.")
    ] = None,
    rate: Annotated[float | None, typer.Option(help="An open loop: requests begun in a second.")] = None,
    duration: Annotated[float | None, typer.Option(help="Seconds of the open loop.")] = None,
    shared: Annotated[bool, typer.Option("--shared", help="Send decisions of equal states together.")] = False,
    repeat: Annotated[int, typer.Option(min=1, help="How often each task is asked.")] = 1,
    rotations: Annotated[int, typer.Option(min=1, max=16, help="In how many orders of its options.")] = 1,
    deadline: Annotated[
        float, typer.Option(min=1, max=3600, help="Seconds for each request, retries included.")
    ] = DEADLINE_SECONDS,
    out: Annotated[
        Path | None, typer.Option(help="The results file, the page beside it; in build/bench by default.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the results file, if it is there.")] = False,
    as_json: AsJson = False,
    environments_directory: Directory = ENVIRONMENTS_DIRECTORY,
) -> None:
    """Ask TARGET labelled decisions; every line of results is kept as soon as it is known.

    Ends with 1 if the endpoint was gone before the end.
    """
    with evidence_libraries():
        from evidence.report import page  # noqa: PLC0415 - nor without jinja2
        from evidence.summary import DOCUMENT, summarize  # noqa: PLC0415 - the other commands do without scipy
    if out and out.suffix == ".html":
        raise ConfigurationError("--out: is the results file; the page is written beside it")
    if resume and out is None:
        raise ConfigurationError("--resume: needs --out, the file to go on with")
    asked = Asked(
        tasks=tuple(tasks),
        definitions=definitions,
        notes=tuple(note or ()),
        sequential=sequential,
        concurrency=tuple(concurrency or ()),
        rate=rate,
        duration_seconds=duration,
        shared=shared,
        repeat=repeat,
        rotations=rotations,
        deadline_seconds=deadline,
    )
    read = labelled(asked)
    whom = target_of(target, environments_directory)
    made = plan(asked, read, whom.together)
    first = header(whom.name, asked, made, read)
    log = ResultsLog(out or _file(target), first, resume=resume)
    with _ending_early(log.file), _progress() as told:
        run(made, EndpointAsker(whom.transport, deadline), log, told=told, scaled=whom.scaled)
    results, written = read_results(log.file), log.file.with_suffix(".html")
    write(written, page(results))
    summary = summarize(results)
    if as_json:
        print_json(OUT, {"results": str(log.file), "page": str(written), **DOCUMENT.dump_python(summary, mode="json")})
        return
    for line in lines(summary):
        say(OUT, line)
    say(OUT, f"Results: {log.file}; as a page: {written}")


def _file(target: str) -> Path:
    name = "".join(letter if letter.isalnum() else "-" for letter in target.partition("://")[2] or target)
    return ROOT / "build/bench" / f"{name}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.jsonl"


@contextmanager
def _ending_early(file: Path) -> Iterator[None]:
    try:
        yield
    except (EndpointGoneError, KeyboardInterrupt) as error:
        if not file.exists():
            typer.echo(f"{str(error) or 'Interrupted'}; nothing was answered, and nothing is written.", err=True)
            raise typer.Exit(2) from None
        kept = f"what was answered is in {file}; --out {file} --resume goes on with it."
        typer.echo(f"{str(error) or 'Interrupted'}: {kept}", err=True)
        raise typer.Exit(1 if isinstance(error, EndpointGoneError) else _INTERRUPTED) from None


@contextmanager
def _progress() -> Iterator[Told]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:

        def phase(name: str, total: int, done: int) -> None:
            progress.add_task(name, total=total, completed=done)

        def decisions(number: int) -> None:
            progress.advance(progress.task_ids[-1], number)

        yield Told(phase, decisions)
