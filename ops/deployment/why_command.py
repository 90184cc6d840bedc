"""`ops why`: what became of each stack, and why."""

from rich.text import Text

from config.loader import ENVIRONMENTS_DIRECTORY, load
from ops.deployment.failures import failures
from ops.options import OUT, AsJson, Directory, Environment
from ops.report import print_json, say
from ops.services import Services


def why(
    environment: Environment, *, as_json: AsJson = False, environments_directory: Directory = ENVIRONMENTS_DIRECTORY
) -> None:
    """Show the state of every stack of ENV, and why the last operation on it failed, if it did."""
    settings = load(environment, environments_directory)
    found = failures(Services.of_region(settings.environment.region).cloudformation, environment)
    if as_json:
        print_json(OUT, found)
    else:
        say(OUT, Text("\n".join(found)))
