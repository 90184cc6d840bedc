"""Longer stories: kept running, interrupted at work, and a role that lacks a permission."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from local_aws.checkout import ROOT
from local_aws.deployment import Deployment, reason
from local_aws.exploration import RUNNING
from local_aws.session import LocalAws
from tests.local_aws.edited_assembly import edited
from tests.local_aws.test_processes import demo_in, left_in

pytestmark = [pytest.mark.local_aws, pytest.mark.slow]


def _run(command: str) -> "subprocess.CompletedProcess[str]":
    arguments = [sys.executable, "-m", "local_aws", command]
    return subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=False, timeout=840)


def test_kept_running_it_is_asked_and_ended_by_later_commands() -> None:
    """`up` deploys and returns, `ask` gets both answers from another process, `down` destroys and ends everything."""
    assert (_run("ask").returncode, RUNNING.exists()) == (1, False)
    up = _run("up")
    assert up.returncode == 0, up.stdout + up.stderr
    try:
        again, asked = _run("up"), _run("ask")
    finally:
        down = _run("down")

    assert again.stderr == "An embedded AWS is running already; `make local-down` ends it.\n"
    assert re.match(r"decision  support-route: account_access .*\nchat      .*Paris", asked.stdout)
    assert (down.returncode, RUNNING.exists()) == (0, False)
    assert _run("down").stderr == "No embedded AWS is running; `make local-up` starts one.\n"


@pytest.mark.parametrize("moment", ["    ✅  semif-local-artifact", "    ✅  semif-local-build", "▶ ask both"])
def test_demo_interrupted_at_work_leaves_nothing(tmp_path: Path, moment: str) -> None:
    """Ctrl-C during a build, while containers start and while they answer ends every one of their processes."""
    with demo_in(tmp_path) as demo:
        assert demo.stdout
        assert any(line.startswith(moment) for line in demo.stdout)

        demo.send_signal(signal.SIGINT)
        demo.communicate(timeout=60)

    assert demo.returncode == 130
    assert left_in(tmp_path) == []


@pytest.mark.rule(
    "an endpoint whose execution role may not read its model archive is not created",
    tool="",
    emulated="ministack evaluates the role's policy; our stand-in for SageMaker uses the role's credentials",
)
def test_execution_role_without_permission_fails_the_endpoint(tmp_path: Path) -> None:
    """Without s3:GetObject in the execution role's policy, the endpoint fails with the denied action in its reason."""
    with LocalAws(name="denied") as aws:
        deployment = Deployment(aws.address)
        deployment.synthesize()
        deployment.bootstrap()
        assembly = edited(ROOT / deployment.assembly, tmp_path / "app", "semif-local-chat", _without_reading)

        outcome = deployment.deploy(assembly=assembly)

    assert outcome.code != 0
    assert re.search(r"Endpoint semif-local-chat failed: .*not authorized to perform: s3:GetObject", reason(outcome))


def _without_reading(template: str) -> str:
    """Take the permission to read the archive from the endpoint's role, not from the verification's."""
    head, role, rest = template.partition('"InferenceEndpointRoleDefaultPolicy')
    assert role
    return head + role + rest.replace('"s3:GetObject"', '"s3:GetObjectAttributes"', 1)
