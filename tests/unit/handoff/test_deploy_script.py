"""The script's refusals, with a command line of AWS that answers from a few variables and notes what it was asked."""

import json
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from config.settings import Environment
from handoff.assembly import Archive, Assembly, StackTemplate
from handoff.folder import write

ACCOUNT, REGION = "111122223333", "eu-central-1"
FAKE_AWS = f"""#!/usr/bin/env bash
echo "$1 $2" >> "$CALLS"
case "$1 $2" in
  "sts get-caller-identity") printf '%s\\t%s\\n' "${{FAKE_ACCOUNT:-{ACCOUNT}}}" "arn:aws:iam::{ACCOUNT}:user/one" ;;
  "configure get") exit 1 ;;
  "s3api get-bucket-location") [[ -z ${{FAKE_DENIED:-}} ]] && echo "${{FAKE_PLACE:-{REGION}}}" ;;
  *) echo "unexpected: $*" >&2; exit 99 ;;
esac
"""
TRUST = {"Statement": [{"Principal": {"Service": "lambda.amazonaws.com"}}]}
ROLE = {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": TRUST}}
TEMPLATE = json.dumps({"Description": "One", "Resources": {"Role": ROLE}})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one small stack for one account and region."""
    assembly = Assembly(
        (StackTemplate("one", TEMPLATE, termination_protection=False),), (Archive("code", "s", b"zip"),)
    )
    environment = Environment(name="dev", account=ACCOUNT, region=REGION)
    write(tmp_path / "folder", assembly, environment=environment, assets_bucket="acme-assets")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "aws").write_text(FAKE_AWS)
    (tools / "aws").chmod(stat.S_IRWXU)
    return tmp_path / "folder"


def run(folder: Path, *arguments: str, **settings: str) -> tuple[int, str, list[str]]:
    """Run the script; return its status, what it said and which calls it made."""
    calls = folder.parent / "calls"
    environment = {
        "PATH": f"{folder.parent / 'tools'}{os.pathsep}{os.environ['PATH']}",
        "CALLS": str(calls),
        "AWS_REGION": REGION,
    }
    done = subprocess.run(
        [str(folder / "deploy.sh"), *arguments], env=environment | settings, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr, calls.read_text().splitlines() if calls.exists() else []


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"AWS_REGION": "us-east-1"}, "These templates are for eu-central-1, and the chosen region is us-east-1."),
        (
            {"FAKE_ACCOUNT": "0" * 12},
            f"These templates are for account {ACCOUNT}, and the credentials are of {'0' * 12}.",
        ),
        ({"ASSETS_BUCKET": "No_Bucket"}, "ASSETS_BUCKET: No_Bucket is not the name of a bucket."),
        ({"FAKE_PLACE": "eu-west-1"}, "ASSETS_BUCKET: acme-assets is in eu-west-1, not in eu-central-1"),
        ({"FAKE_DENIED": "yes"}, "ASSETS_BUCKET: acme-assets cannot be used; it must be there, in this account."),
    ],
)
def test_script_refuses_another_target(folder: Path, settings: dict[str, str], sentence: str) -> None:
    """Another account, region or bucket ends it with one sentence before anything is uploaded or made."""
    status, said, calls = run(folder, **settings)

    assert status == 1
    assert said.startswith(sentence)
    assert not [call for call in calls if call.startswith("cloudformation") or "object" in call]


@pytest.mark.parametrize("name", ["stacks.tsv", "templates/one.template.json", "iam/deployer.template.json"])
def test_script_refuses_a_changed_file(folder: Path, name: str) -> None:
    """What is not what was handed over is named and not deployed; AWS is not asked anything."""
    (folder / name).write_text("changed")

    assert run(folder) == (1, f"Not what was handed over: {name}\n", [])


def test_script_takes_no_arguments(folder: Path) -> None:
    """An argument that looks like a setting is not silently ignored."""
    assert run(folder, "prod")[0] == 1


def test_script_stops_at_the_first_failing_call(folder: Path) -> None:
    """A call that fails after the checks, here the first upload, ends the script with its status and reason."""
    status, said, calls = run(folder)

    assert status == 1
    assert "unexpected: s3api put-object" in said
    assert not [call for call in calls if call.startswith("cloudformation")]


def test_script_says_which_tool_is_missing(folder: Path, tmp_path: Path) -> None:
    """Without the AWS command line it says so."""
    tools = tmp_path / "few"
    tools.mkdir()
    for name in ("bash", "awk", "dirname", "env"):
        (tools / name).symlink_to(str(shutil.which(name)))

    status, said, _ = run(folder, PATH=str(tools))

    assert (status, said) == (1, "This needs aws on the PATH.\n")
