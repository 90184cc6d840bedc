"""The commands that `make deploy` runs before it deploys: what is billed, bootstrap, and names that stay."""

from dataclasses import asdict

import boto3
import typer

from config.loader import ENVIRONMENTS_DIRECTORY, load
from ops.costs.billed import fleets, terms
from ops.deployment.bootstrapped import bootstrap_version
from ops.deployment.endpoint_names import renamings
from ops.options import OUT, AsJson, Directory, Environment
from ops.report import print_json, say


def billed(
    environment: Environment, *, as_json: AsJson = False, environments_directory: Directory = ENVIRONMENTS_DIRECTORY
) -> None:
    """Say which instances a deployment of ENV starts, and that they are billed by the hour. Asks no account."""
    started = fleets(load(environment, environments_directory))
    if as_json:
        print_json(OUT, [asdict(fleet) for fleet in started])
    else:
        say(OUT, "\n".join([*(fleet.sentence for fleet in started), terms(environment)]))


def bootstrapped(
    environment: Environment, *, as_json: AsJson = False, environments_directory: Directory = ENVIRONMENTS_DIRECTORY
) -> None:
    """End with 0 when the account and region of ENV are bootstrapped, 1 when not."""
    settings = load(environment, environments_directory)
    version = bootstrap_version(boto3.client("ssm", region_name=settings.environment.region))
    if as_json:
        print_json(OUT, {"version": version})
    else:
        say(OUT, "not bootstrapped yet" if version is None else f"bootstrapped, version {version}")
    raise typer.Exit(int(version is None))


def names(
    environment: Environment, *, as_json: AsJson = False, environments_directory: Directory = ENVIRONMENTS_DIRECTORY
) -> None:
    """End with 0 when every endpoint of ENV keeps the name it is deployed under, 1 with the way to another when not."""
    settings = load(environment, environments_directory)
    sentences = renamings(boto3.client("cloudformation", region_name=settings.environment.region), settings)
    if as_json:
        print_json(OUT, sentences)
    for sentence in sentences:
        typer.echo(sentence, err=True)
    raise typer.Exit(int(bool(sentences)))
