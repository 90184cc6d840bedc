"""The same, kept running: up, ask, down."""

import shlex
from typing import Final

from local_aws import interruption
from local_aws.checkout import STATE
from local_aws.deployment import Deployment, reason
from local_aws.emulator_process import EmulatorProcess, LocalAwsError
from local_aws.questions import ask, stand_ins
from local_aws.session import Address
from local_aws.steps import Steps, require

RUNNING: Final = STATE / "running.json"
ENVIRONMENT: Final = STATE / "environment.sh"


def up(port: int) -> int:
    """Start an embedded AWS that outlives this command, and deploy the environment `local` to it.

    Raises:
        LocalAwsError: one is running already, or it did not start.
        StepFailedError: the deployment failed; nothing is left running.
    """
    if RUNNING.exists() and EmulatorProcess.from_json(RUNNING.read_text("utf-8")).is_alive():
        raise LocalAwsError("An embedded AWS is running already; `make local-down` ends it.")
    steps = Steps()
    emulator = None
    try:
        with steps.step("start the embedded AWS"), interruption.held():
            emulator, _ = EmulatorProcess.start(name="up", port=port, detached=True)
        address = Address(emulator)
        deployment = Deployment(address)
        with steps.step("synthesize and bootstrap with the CDK command line"):
            deployment.synthesize()
            deployment.bootstrap()
        with steps.step("deploy all stacks of the environment local"):
            outcome = deployment.deploy()
            require(that=outcome.code == 0, otherwise=f"cdk deploy failed: {reason(outcome)}")
        RUNNING.touch(mode=0o600)
        RUNNING.write_text(emulator.to_json(), "utf-8")
        _write_environment(address)
    except BaseException:
        if emulator:
            emulator.end()
        RUNNING.unlink(missing_ok=True)
        raise
    for sentence in stand_ins(address):
        print(f"  {sentence}")
    print(f"\n{steps.table()}\n\nAsk with `make ask`; `source {ENVIRONMENT}` points aws, cdk and boto3 to it.")
    return 0


def ask_running() -> int:
    """Ask both endpoints of the running embedded AWS.

    Raises:
        LocalAwsError: none is running.
    """
    for line in ask(Address(_running())).lines():
        print(line)
    return 0


def down() -> int:
    """Destroy what was deployed, and end the embedded AWS with everything it started.

    Raises:
        LocalAwsError: none is running.
    """
    emulator = _running()
    steps = Steps()
    try:
        with steps.step("destroy everything"):
            Deployment(Address(emulator)).destroy()
    finally:
        with steps.step("stop it"):
            emulator.end()
            RUNNING.unlink()
            ENVIRONMENT.unlink(missing_ok=True)
    return 0


def _running() -> EmulatorProcess:
    if RUNNING.exists():
        emulator = EmulatorProcess.from_json(RUNNING.read_text("utf-8"))
        if emulator.is_alive():
            return emulator
        emulator.end()
        RUNNING.unlink()
    raise LocalAwsError("No embedded AWS is running; `make local-up` starts one.")


def _write_environment(address: Address) -> None:
    wanted = ("AWS_", "CDK_", "NODE_", "PATH", "HOME")
    lines = [
        f"export {name}={shlex.quote(value)}"
        for name, value in sorted(address.environment().items())
        if name.startswith(wanted)
    ]
    ENVIRONMENT.touch(mode=0o600)
    ENVIRONMENT.write_text("\n".join(lines) + "\n", "utf-8")
