"""`python -m local_aws demo|up|ask|down`."""

import argparse
import os
import sys

from botocore.exceptions import BotoCoreError, ClientError

from local_aws import demo, exploration, interruption
from local_aws.emulator_process import LocalAwsError
from local_aws.steps import StepFailedError
from ops.ask.chat_stream import StreamCutError

INTERRUPTED = 130


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
    interruption.listen()
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
    except (LocalAwsError, StepFailedError, StreamCutError, ClientError, BotoCoreError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted: every process it started is ended, every temporary folder removed.", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
