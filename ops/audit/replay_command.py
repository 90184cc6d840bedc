"""`ops replay`: a recorded decision asked again."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from config.loader import ENVIRONMENTS_DIRECTORY
from decision_client.audit.replay import Verdict, differing_parts, replayed
from evidence.difference import differences
from ops.audit.keys import keys_for
from ops.audit.recorded_request import read_request
from ops.audit.replay import ask_again, find_record, noise_floor, request_sentence, sentences
from ops.audit.trails import known_as
from ops.evidence.bench_target import target as target_of
from ops.options import OUT, AsJson, Directory
from ops.report import print_json, printable, say

RecordPlace = Annotated[
    str,
    typer.Argument(metavar="RECORD", help="A file with the record, a whole trail, or logs: and a log group's name."),
]
Target = Annotated[
    str, typer.Argument(metavar="TARGET", help="An environment, or a container's URL. Without it nothing is asked.")
]
Request = Annotated[Path, typer.Option(help="The request that the record may be of, as it was sent.")]
RecordId = Annotated[str, typer.Option("--id", help="The record's id, or the caller's: which record of several.")]
KeyFiles = Annotated[list[Path] | None, typer.Option("--key-file", help="A key of records; may be given repeatedly.")]
Logits = Annotated[float | None, typer.Option(min=0, help="Logits that differ by this at most differ by noise.")]
Repeats = Annotated[Path | None, typer.Option(help="A results file with repeats on the record's runtime: the floor.")]


def replay(
    place: RecordPlace,
    target: Target = "",
    *,
    request: Request,
    record_id: RecordId = "",
    key_file: KeyFiles = None,
    floor: Logits = None,
    floor_from: Repeats = None,
    as_json: AsJson = False,
    environments_directory: Directory = ENVIRONMENTS_DIRECTORY,
) -> None:
    """Check that a request is the recorded one, ask it again, and compare.

    Ends with 0 if the decision is the same and its numbers are too, or within the noise floor; with 1 if not; with 2 if
    the request is another, for which nothing is asked.
    """
    files = key_file or []
    record, hashes = find_record(place, known_as(place, record_id, files) if record_id else "")
    noise = noise_floor(record, floor, floor_from)
    keys = keys_for(hashes.key_id, files)
    kept = read_request(request, record, keys)
    parts = differing_parts(hashes, kept.state, kept.question, kept.options, keys)
    told: dict[str, Any] = {"record": record.id, "key_id": hashes.key_id, "differing_parts": parts}
    lines = [request_sentence(record, hashes.key_id, parts)]
    code = 2 if parts else 0
    if target and not parts:
        answer = ask_again(target_of(target, environments_directory).transport, record, kept)
        found, changed = replayed(record, answer, noise.logits), differences(record.identity, answer.model)
        told |= asdict(found) | {"same_choice": found.same_choice, "floor_source": noise.source}
        told["identity"] = [asdict(each) for each in changed]
        lines += sentences(found, noise, changed)
        code = int(found.verdict is Verdict.DIFFERENT or not found.same_choice)
    else:
        lines.append("Nothing was asked.")
    if as_json:
        print_json(OUT, told)
    else:
        for line in lines:
            say(OUT, printable(line))
    raise typer.Exit(code)
