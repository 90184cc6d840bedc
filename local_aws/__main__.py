"""`python -m local_aws demo|up|ask|down`."""

import argparse
import os
import signal
import sys
from types import FrameType

from botocore.exceptions import BotoCoreError, ClientError

from local_aws import demo, exploration
from local_aws.emulator_process import LocalAwsError
from local_aws.steps import StepFailedError

INTERRUPTED = 130
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> int:
    """Run one command; whatever goes wrong is told in one sentence."""
    parser = argparse.ArgumentParser(prog="python -m local_aws", description="An AWS embedded in this machine.")
    parser.add_argument("command", choices=("demo", "up", "ask", "down"))
    parser.add_argument(
        "--port",
        type=int,
        default=int(os.environ.get("LOCAL_AWS_PORT", "0")),
        help="the port of the AWS API (LOCAL_AWS_PORT); 0 takes a free one",
    )
    arguments = parser.parse_args()
    for number in _ENDING:
        signal.signal(number, _interrupt)
    try:
        match arguments.command:
            case "demo":
                return demo.run(arguments.port)
            case "up":
                return exploration.up(arguments.port)
            case "ask":
                return exploration.ask_running()
            case _:
                return exploration.down()
    except (LocalAwsError, StepFailedError, ClientError, BotoCoreError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted: every process it started is ended, every temporary folder removed.", file=sys.stderr)
        return INTERRUPTED


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    # A second signal must not interrupt the cleaning up after the first.
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
