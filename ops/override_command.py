"""`ops override`: a later correction, beside the record it corrects."""

from pathlib import Path
from typing import Annotated

import typer

from decision_client.audit.correction import override as corrected
from decision_client.audit.trail_file import TrailFile
from ops.options import OUT, AsJson
from ops.report import print_json, say

Id = Annotated[str, typer.Argument(metavar="ID", help="The record's id, or the caller's if one record has it.")]
Trail = Annotated[Path, typer.Option(help="The file that holds the record; the correction is appended to it.")]
Choice = Annotated[str, typer.Option(help="The right option; the endpoint's own choice confirms it.")]
By = Annotated[str, typer.Option(help="Who says so.")]


def override(wanted: Id, *, trail: Trail, choice: Choice, by: By, as_json: AsJson = False) -> None:
    """Append somebody's decision to an audit trail. Nothing in it is changed; the last one of a record holds."""
    made = corrected(TrailFile(trail), wanted, choice, by)
    if as_json:
        print_json(OUT, made.model_dump(mode="json"))
        return
    said = f"confirms {made.choice}" if made.agrees else f"{made.answered} → {made.choice}"
    say(OUT, f"{made.decision}: {said}, says {made.by}.")
