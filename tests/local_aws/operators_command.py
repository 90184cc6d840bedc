"""The operator's command line, run as an operator does, against the embedded AWS."""

import json
import subprocess
import sys
from typing import Any

from local_aws.checkout import ROOT
from local_aws.session import Address


def operate(address: Address, *arguments: str, **environment: str) -> tuple[int, Any]:
    """Run `python -m ops … --json` and return its code and what it printed.

    Args:
        address: The way to the embedded AWS.
        arguments: The command.
        environment: Variables that are other than the operator's.
    """
    command = [sys.executable, "-m", "ops", *arguments, "--json"]
    done = subprocess.run(
        command, cwd=ROOT, env=address.environment() | environment, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


def lines_of(address: Address, *arguments: str, **environment: str) -> tuple[int, dict[str, dict[str, str]]]:
    """Run a command that prints lines and return its code and the lines by subject."""
    code, printed = operate(address, *arguments, **environment)
    return code, {line["subject"]: line for line in printed}
