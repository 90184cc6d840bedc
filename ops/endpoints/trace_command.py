"""`ops trace`: from what runs back to the file."""

from typing import Annotated

import typer

from config.loader import ENVIRONMENTS_DIRECTORY, load
from ops.checkout import Checkout
from ops.endpoints.trace import trace
from ops.options import OUT, AsJson, Directory, Environment
from ops.report import exit_code, show
from ops.services import Services

Read = Annotated[bool, typer.Option("--read", help="Read the published model and hash it here.")]


def trace_environment(
    environment: Environment,
    *,
    read: Read = False,
    as_json: AsJson = False,
    environments_directory: Directory = ENVIRONMENTS_DIRECTORY,
) -> None:
    """Follow what ENV runs back to the file. Ends with 2 if a link of the chain does not hold."""
    settings = load(environment, environments_directory)
    file = environments_directory / f"{environment}.toml"
    lines = trace(Services.of_region(settings.environment.region), settings, file, Checkout(), read=read)
    show(OUT, lines, as_json=as_json)
    raise typer.Exit(exit_code(lines))
