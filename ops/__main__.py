"""The operator's command line: `python -m ops doctor dev`."""

import sys

import typer
from botocore.exceptions import BotoCoreError, ClientError

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
from ops.ask import ask_command
from ops.ask.bearer_token import BearerError
from ops.ask.chat_stream import StreamCutError
from ops.audit import audit_command, override_command, replay_command
from ops.audit.recorded_request import ReplayError
from ops.costs import cost_command
from ops.deployment import before_deploy, why_command
from ops.doctor import doctor_command
from ops.endpoints import retire_command, running_command, trace_command, verify_command
from ops.endpoints.retire import ProtectedError
from ops.evidence import bench_command, calibrate_command, compare_command, report_command
from ops.evidence.libraries import LibraryMissingError
from ops.pins import pin_command
from ops.pins.hub import HubError
from ops.pins.hub_token import TokenError
from ops.pins.images import ImageError
from ops.pins.pin_file import UpdateError
from ops.several import Several

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
app.command(name="doctor")(doctor_command.doctor)
app.command(name="trace")(trace_command.trace_environment)
app.command(name="retire")(retire_command.retire_environment)
app.command(name="verify")(verify_command.verify_environment)
app.command(name="running")(running_command.show_running)
app.command(name="why")(why_command.why)

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


def main() -> None:
    """Run one command; 2 with one sentence where it is refused."""
    try:
        app(prog_name="python -m ops")
    except REFUSALS as error:
        typer.echo(error, err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
