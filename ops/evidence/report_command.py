"""`ops report`: a results file as a page that can be read, printed and passed on."""

from pathlib import Path
from typing import Annotated

import typer

from config.rules import ConfigurationError
from evidence.results import read_results
from ops.evidence.libraries import evidence_libraries
from ops.options import OUT, AsJson
from ops.report import print_json


def report(
    results: Annotated[Path, typer.Argument(help="A results file of `ops bench`.")],
    *,
    out: Annotated[Path, typer.Option(help="The HTML file to write; one that is there is replaced.")],
    as_json: AsJson = False,
) -> None:
    """Write the figures of RESULTS as one HTML page that needs no network and no script."""
    with evidence_libraries():
        from evidence.report import page  # noqa: PLC0415 - the other commands do without what draws
    written = page(read_results(results))
    write(out, written)
    if as_json:
        print_json(OUT, {"page": str(out), "bytes": len(written.encode())})
    else:
        typer.echo(f"{out}: open it in a browser.", err=True)


def write(file: Path, text: str) -> None:
    """Write a file that is there whole or not at all.

    Raises:
        ConfigurationError: It cannot be written.
    """
    beside = file.with_name(f"{file.name}.partial")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(file)
    except OSError as error:
        raise ConfigurationError(f"--out: {file} cannot be written: {error.strerror}") from None
