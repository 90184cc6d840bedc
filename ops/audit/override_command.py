"""`ops override`: a later correction, beside the record it corrects."""

from pathlib import Path
from typing import Annotated

import typer

from ops.audit.trails import append_override, known_as
from ops.options import OUT, AsJson
from ops.report import print_json, printable, say

Id = Annotated[str, typer.Argument(metavar="ID", help="The record's id, or the caller's if one record has it.")]
Trail = Annotated[str, typer.Option(help="Where the record is: a file, or logs: and a log group's name.")]
Choice = Annotated[str, typer.Option(help="The right option; the endpoint's own choice confirms it.")]
KeyFiles = Annotated[list[Path] | None, typer.Option("--key-file", help="Where callers' ids are hashed: the key.")]
By = Annotated[str, typer.Option(help="Who says so.")]


def override(
    wanted: Id, *, trail: Trail, choice: Choice, by: By, key_file: KeyFiles = None, as_json: AsJson = False
) -> None:
    """Append somebody's decision to an audit trail. Nothing in it is changed; the last one of a record holds."""
    known = known_as(trail, wanted, key_file) if key_file else wanted
    made = append_override(trail, known, choice, by)
    if as_json:
        print_json(OUT, made.model_dump(mode="json"))
        return
    said = f"confirms {made.choice}" if made.agrees else f"{made.answered} → {made.choice}"
    say(OUT, printable(f"{made.decision}: {said}, says {made.by}."))
