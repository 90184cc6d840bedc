"""`ops override`: a later correction, beside the record it corrects."""

from typing import Annotated

import typer

from ops.options import OUT, AsJson
from ops.report import print_json, say
from ops.trails import append_override

Id = Annotated[str, typer.Argument(metavar="ID", help="The record's id, or the caller's if one record has it.")]
Trail = Annotated[str, typer.Option(help="Where the record is: a file, or logs: and a log group's name.")]
Choice = Annotated[str, typer.Option(help="The right option; the endpoint's own choice confirms it.")]
By = Annotated[str, typer.Option(help="Who says so.")]


def override(wanted: Id, *, trail: Trail, choice: Choice, by: By, as_json: AsJson = False) -> None:
    """Append somebody's decision to an audit trail. Nothing in it is changed; the last one of a record holds."""
    made = append_override(trail, wanted, choice, by)
    if as_json:
        print_json(OUT, made.model_dump(mode="json"))
        return
    said = f"confirms {made.choice}" if made.agrees else f"{made.answered} → {made.choice}"
    say(OUT, f"{made.decision}: {said}, says {made.by}.")
