"""`ops verify`: the published model, read again."""

from dataclasses import asdict

import boto3
import typer

from config.loader import ENVIRONMENTS_DIRECTORY, load
from ops.endpoints.verification import LAMBDA_CONFIG, verify
from ops.options import OUT, AsJson, Directory, Environment
from ops.report import print_json, say
from ops.services import Services


def verify_environment(
    environment: Environment, *, as_json: AsJson = False, environments_directory: Directory = ENVIRONMENTS_DIRECTORY
) -> None:
    """Let the deployed verification of ENV read the published model again, now. Ends with 2 if it refuses."""
    settings = load(environment, environments_directory)
    services = Services.of_region(settings.environment.region)
    functions = boto3.client("lambda", region_name=settings.environment.region, config=LAMBDA_CONFIG)
    found = verify(services.cloudformation, functions, settings)
    if as_json:
        print_json(OUT, [asdict(each) for each in found])
    else:
        say(OUT, "\n".join(each.sentence for each in found))
    raise typer.Exit(2 if any(each.refusal for each in found) else 0)
