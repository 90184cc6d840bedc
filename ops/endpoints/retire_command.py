"""`ops retire`: the endpoints of an environment taken away, once its name is typed."""

import typer

from config.loader import ENVIRONMENTS_DIRECTORY, load
from ops.endpoints.retire import left, retire, targets
from ops.options import OUT, AsJson, Directory, Environment, Yes
from ops.report import exit_code, show
from ops.services import Services


def retire_environment(
    environment: Environment,
    *,
    yes: Yes = False,
    as_json: AsJson = False,
    environments_directory: Directory = ENVIRONMENTS_DIRECTORY,
) -> None:
    """Delete endpoint, configuration and model of both endpoints of ENV, and say what is left."""
    settings = load(environment, environments_directory)
    services = Services.of_region(settings.environment.region)
    planned = targets(services, settings)
    if not yes:
        for target in planned:
            typer.echo(f"{target.kind}: {', '.join((target.endpoint, *target.configs, *target.models))}", err=True)
        typed = typer.prompt("These are deleted. Type the environment's name to go on", err=True)
        if typed != environment:
            typer.echo(f"{typed} is not {environment}: nothing was deleted.", err=True)
            raise typer.Exit(2)
    lines = [line for target in planned for line in retire(services, target)]
    show(OUT, [*lines, *left(services, settings)], as_json=as_json)
    raise typer.Exit(exit_code(lines))
