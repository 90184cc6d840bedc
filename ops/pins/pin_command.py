"""`ops pin`: the pins of an environment's file."""

from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from config.loader import ENVIRONMENTS_DIRECTORY, file_of
from config.model_source import HuggingFaceSource
from config.settings import Settings
from ops.options import OUT, AsJson, Directory, Environment, Yes
from ops.pins.draft import read_draft
from ops.pins.hub import HUB, Hub
from ops.pins.hub_token import hub_token
from ops.pins.lookup import look_up
from ops.pins.pin_file import UpdateError, write
from ops.pins.pin_update import HUB_PINS, IMAGE_PINS, of_hub, of_image
from ops.report import Line, exit_code, print_json, show
from ops.services import Services

app = typer.Typer(help=__doc__, no_args_is_help=True)
HubAddress = Annotated[str, typer.Option("--hub", help="Address of the Hugging Face hub, or of a mirror.")]


@app.command(name="show")
def show_pins(
    environment: Environment,
    *,
    hub: HubAddress = HUB,
    as_json: AsJson = False,
    environments_directory: Directory = ENVIRONMENTS_DIRECTORY,
) -> None:
    """Show every pin of ENV, and whether what it names is there."""
    show(OUT, _looked_up(environment, hub, environments_directory), as_json=as_json)


@app.command(name="check")
def check(
    environment: Environment,
    *,
    hub: HubAddress = HUB,
    as_json: AsJson = False,
    environments_directory: Directory = ENVIRONMENTS_DIRECTORY,
) -> None:
    """Check that model and images of ENV exist and match. Ends with 1 if something is not built yet, 2 if wrong."""
    lines = _looked_up(environment, hub, environments_directory)
    show(OUT, lines, as_json=as_json)
    raise typer.Exit(exit_code(lines))


@app.command(name="update")
def update(
    environment: Environment,
    pin: Annotated[str, typer.Argument(metavar="PIN", help=f"One of {', '.join((*IMAGE_PINS, *HUB_PINS))}.")],
    *,
    tag: Annotated[str, typer.Option(help="An image's tag, such as server-sagemaker-cpu-v1.")] = "",
    revision: Annotated[str, typer.Option(help="A branch, tag or commit of the hub.")] = "",
    hub: HubAddress = HUB,
    yes: Yes = False,
    as_json: AsJson = False,
    environments_directory: Directory = ENVIRONMENTS_DIRECTORY,
) -> None:
    """Ask what a tag or revision is now, show old and new, and change this one pin of the file of ENV.

    A pin that the file leaves open is filled in the same way; what is still open then is named.
    """
    file = file_of(environment, environments_directory)
    draft = read_draft(file)
    if pin in IMAGE_PINS and tag and not revision:
        found = of_image(Services.of_region(draft.settings.environment.region), draft.settings, pin, tag)
    elif pin in HUB_PINS and revision and not tag:
        found = of_hub(_hub(hub, draft.settings), draft.settings, pin, revision)
    else:
        raise UpdateError(f"{' or '.join(IMAGE_PINS)} with --tag, or {' or '.join(HUB_PINS)} with --revision")
    found = replace(found, old=draft.values[pin])
    typer.echo(found.sentence, err=True)
    changes = found.old != found.new
    if not changes:
        typer.echo("It is the pinned one: nothing to change.", err=True)
    elif not yes and not typer.confirm("Change it?", err=True):
        raise typer.Exit(1)
    else:
        draft = write(file, found)
    for still in draft.open:
        typer.echo(f"{still} is open: nothing of {environment} can be deployed before it is pinned too.", err=True)
    if as_json:
        print_json(OUT, {**asdict(found), "changed": changes, "open": list(draft.open)})


def _looked_up(environment: str, hub: str, environments_directory: Path) -> list[Line]:
    draft = read_draft(file_of(environment, environments_directory))
    services = Services.of_region(draft.settings.environment.region)
    return list(look_up(services, _hub(hub, draft.settings), draft))


def _hub(url: str, settings: Settings) -> Hub:
    """Return the hub, with the token of the secret that the settings name, which is read once and when it is needed."""
    source = settings.model.source
    secret = source.token_secret_arn if isinstance(source, HuggingFaceSource) else None
    if not secret:
        return Hub(url)

    @cache
    def token() -> str:
        return hub_token(Services.of_region(settings.environment.region).secrets, secret)

    return Hub(url, token)
