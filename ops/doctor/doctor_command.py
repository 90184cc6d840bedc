"""`ops doctor`: everything an environment needs, looked at."""

import typer
from botocore.exceptions import BotoCoreError, NoRegionError

from config.loader import ENVIRONMENTS_DIRECTORY, load
from ops.doctor import examine
from ops.options import OUT, AsJson, Directory, Environment
from ops.refusals import next_action
from ops.report import exit_code, show, wrong
from ops.services import Services


def doctor(
    environment: Environment, *, as_json: AsJson = False, environments_directory: Directory = ENVIRONMENTS_DIRECTORY
) -> None:
    """Look at everything ENV needs. Ends with 0 if all is ok, 1 if there are warnings, 2 if something is wrong."""
    settings = load(environment, environments_directory)
    try:
        services = Services.of_region(settings.environment.region)
    except NoRegionError as error:
        lines = [wrong("region", str(error), "name it: environment.region of the file, or AWS_REGION")]
    except BotoCoreError as error:  # such as a profile that the configuration does not have
        lines = [wrong("credentials", str(error), next_action(error))]
    else:
        lines = examine(services, settings)
    show(OUT, lines, as_json=as_json)
    raise typer.Exit(exit_code(lines))
