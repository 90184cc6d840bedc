import subprocess
from pathlib import Path

import aws_cdk as cdk
import pytest
from aws_cdk import aws_s3 as s3

from app import build
from constructs_lib import nag
from tests.template.synthesis import ENVIRONMENTS, STACKS, assembly


@pytest.mark.rule("No finding of the AwsSolutions rules is open", tool="cdk-nag", emulated="")
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_environment_passes_the_security_rules(environment: str) -> None:
    """Synthesis with cdk-nag attached raises on any open finding, so a finished assembly has none."""
    assert (assembly(environment) / "manifest.json").is_file()


def test_security_gate_stops_an_open_finding(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The gate is attached to the app: a bucket without logs and TLS ends the synthesis."""
    app = build("dev", outdir=str(tmp_path), validate_templates=False)
    s3.Bucket(cdk.Stack(app, "Intruder"), "Bucket")

    with pytest.raises(RuntimeError, match="ValidationFailed") as caught:
        app.synth()
    # The library puts its findings into the error or before it, depending on how many there are.
    assert "AwsSolutions-S1'" in str(caught.value) + capfd.readouterr().err


def test_only_listed_actions_can_have_their_star_acknowledged() -> None:
    """An action that has resources cannot pass the gate with * by way of nag.py."""
    with pytest.raises(KeyError):
        nag.acknowledge_action_without_resource(cdk.Stack(), "s3:GetObject")


def test_only_listed_resources_can_have_their_star_acknowledged() -> None:
    """A resource whose name a template could give cannot pass the gate with a star by way of nag.py."""
    with pytest.raises(KeyError):
        nag.acknowledge_resources(cdk.Stack(), "arn:aws:s3:::bucket/*", "objects")  # type: ignore[arg-type]


@pytest.mark.rule("Templates pass the linter of CloudFormation", tool="cfn-lint", emulated="")
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_templates_pass_the_linter(environment: str) -> None:
    """No error and no warning, but for orders that the CDK states twice."""
    paths = [assembly(environment) / f"semif-{environment}-{stack}.template.json" for stack in STACKS]

    # W3005: the CDK writes DependsOn for every order it knows, also where a reference implies it.
    command = ["cfn-lint", "--ignore-checks", "W3005", "--template", *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.rule(
    "Templates pass the validator that runs at every deployment", tool="CDK's CloudFormation validator", emulated=""
)
def test_template_passes_the_deployment_s_own_validator(tmp_path: Path) -> None:
    """The check that other tests switch off for its seconds, once, on the environment with most kinds of resource."""
    build("prod", outdir=str(tmp_path), validate_templates=True).synth()

    assert (tmp_path / "manifest.json").is_file()
