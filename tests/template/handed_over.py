"""Folders of hand-overs, each environment's written once a session."""

import functools
import tempfile
from pathlib import Path

from handoff.__main__ import hand_over
from tests.template.synthesis import DIRECTORY

BUCKET = "acme-assets"
_FOLDER = tempfile.TemporaryDirectory(prefix="semif-handoff-test-")


@functools.cache
def handed_over(environment: str) -> Path:
    """Return an environment's folder, written once a session."""
    folder = Path(_FOLDER.name) / environment
    hand_over(environment, BUCKET, directory=DIRECTORY, folder=folder)
    return folder


def templates(environment: str) -> dict[str, str]:
    """Return the text of each template by stack, in the order of the script."""
    folder = handed_over(environment)
    names = [line.split("\t")[0] for line in (folder / "stacks.tsv").read_text().splitlines()]
    return {name: (folder / "templates" / f"{name}.template.json").read_text("utf-8") for name in names}
