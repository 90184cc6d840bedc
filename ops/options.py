"""The arguments and options that the commands share."""

from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

OUT = Console()
DATES: Final = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"]

Environment = Annotated[str, typer.Argument(metavar="ENV", help="The environment: a file of config/environments.")]
Directory = Annotated[Path, typer.Option("--environments-directory", help="Where the environments' files lie.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
