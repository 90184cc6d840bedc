"""The operator's command line: `python -m ops doctor dev`."""

import sys
from dataclasses import asdict

import boto3
import typer
from botocore.exceptions import BotoCoreError, ClientError, NoRegionError
from rich.text import Text

from config.loader import ENVIRONMENTS_DIRECTORY, load
from config.rules import ConfigurationError
from decision_client.audit.correction import OverrideError
from decision_client.audit.keyed_hash import KeyUseError
from decision_client.audit.sink import SinkError
from decision_client.errors import DecisionError, FileError
from evidence.calibration.errors import CalibrationError
from evidence.logit_floor import FloorError
from evidence.pairs import ComparisonError
from evidence.results import ResultsError
from evidence.task_files import TasksError
from ops import (
    ask_command,
    audit_command,
    before_deploy,
    bench_command,
    calibrate_command,
    compare_command,
    cost_command,
    override_command,
    pin_command,
    replay_command,
    report_command,
)
from ops.bearer_token import BearerError
from ops.chat_stream import StreamCutError
from ops.checkout import Checkout
from ops.doctor import examine
from ops.evidence_libraries import LibraryMissingError
from ops.failures import failures
from ops.hub import HubError
from ops.hub_token import TokenError
from ops.images import ImageError
from ops.options import OUT, AsJson, Directory, Environment, Yes
from ops.pin_file import UpdateError
from ops.recorded_request import ReplayError
from ops.refusals import next_action
from ops.report import exit_code, print_json, say, show, wrong
from ops.retire import ProtectedError, left, retire, targets
from ops.running import Clients, running
from ops.services import Services
from ops.several import Several
from ops.trace import trace
from ops.verification import LAMBDA_CONFIG, verify

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.add_typer(pin_command.app, name="pin")
app.command(name="ask")(ask_command.ask)
app.command(name="billed")(before_deploy.billed)
app.command(name="bootstrapped")(before_deploy.bootstrapped)
app.command(name="names")(before_deploy.names)
app.command(name="bench", cls=Several)(bench_command.bench)
app.command(name="calibrate")(calibrate_command.calibrate)
app.command(name="compare")(compare_command.compare)
app.command(name="report")(report_command.report)
app.command(name="cost")(cost_command.show_cost)
app.command(name="replay")(replay_command.replay)
app.command(name="override")(override_command.override)
app.command(name="audit")(audit_command.audit)
# What is refused with one sentence; everything else is a fault of ours and shows its trace.
REFUSALS = (
    ConfigurationError,
    StreamCutError,
    BearerError,
    HubError,
    TokenError,
    ImageError,
    UpdateError,
    ProtectedError,
    TasksError,
    ResultsError,
    ComparisonError,
    CalibrationError,
    DecisionError,
    FileError,
    FloorError,
    KeyUseError,
    OverrideError,
    ReplayError,
    SinkError,
    LibraryMissingError,
    BotoCoreError,
    ClientError,
)


@app.command(name="doctor")
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


@app.command(name="trace")
def trace_command(
    environment: Environment,
    *,
    read: bool = typer.Option(False, "--read", help="Read the published model and hash it here."),  # noqa: FBT003 - typer's default
    as_json: AsJson = False,
    environments_directory: Directory = ENVIRONMENTS_DIRECTORY,
) -> None:
    """Follow what ENV runs back to the file. Ends with 2 if a link of the chain does not hold."""
    settings = load(environment, environments_directory)
    file = environments_directory / f"{environment}.toml"
    lines = trace(Services.of_region(settings.environment.region), settings, file, Checkout(), read=read)
    show(OUT, lines, as_json=as_json)
    raise typer.Exit(exit_code(lines))


@app.command(name="retire")
def retire_command(
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


@app.command(name="verify")
def verify_command(
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


@app.command(name="running")
def what_runs(
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


@app.command(name="why")
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


def main() -> None:
    """Run one command; 2 with one sentence where it is refused."""
    try:
        app(prog_name="python -m ops")
    except REFUSALS as error:
        typer.echo(error, err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
