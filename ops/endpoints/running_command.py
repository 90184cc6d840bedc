"""`ops running`: what both endpoints run."""

from dataclasses import asdict

import typer
from rich.text import Text

from config.loader import ENVIRONMENTS_DIRECTORY, load
from ops.endpoints.running import Clients, running
from ops.options import OUT, AsJson, Directory, Environment
from ops.report import print_json, say
from ops.services import Services


def show_running(
    environment: Environment, *, as_json: AsJson = False, environments_directory: Directory = ENVIRONMENTS_DIRECTORY
) -> None:
    """Show what both endpoints of ENV run; 1 if one is not in service or says something else than was deployed."""
    settings = load(environment, environments_directory)
    services = Services.of_region(settings.environment.region)
    endpoints = running(Clients(services.cloudformation, services.sagemaker, services.runtime), settings)
    if as_json:
        print_json(OUT, [asdict(endpoint) for endpoint in endpoints])
    else:
        for endpoint in endpoints:
            say(OUT, Text("\n".join(endpoint.lines())))
    raise typer.Exit(int(any(endpoint.differences for endpoint in endpoints)))
