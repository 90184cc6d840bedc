import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app import build
from config.rules import ConfigurationError
from tests.template.synthesis import ENVIRONMENTS, assembly, flat, read, synthesize
from tests.unit.config.environment_files import changed

CHECKOUT = Path(__file__).parents[2]
# What a program that must not use the network gets: any attempt ends it with a status of its own.
NO_NETWORK = {
    "no-network.cjs": "require('net').Socket.prototype.connect = () => process.exit(97)",
    "sitecustomize.py": (
        "import os, sys\n"
        "denied = ('socket.connect', 'socket.getaddrinfo')\n"
        "sys.addaudithook(lambda event, _: os._exit(97) if event in denied else None)\n"
    ),
}


def _run_app(folder: Path, context: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run app.py as the CDK command line does, without credentials, configuration or network."""
    for name, text in NO_NETWORK.items():
        (folder / name).write_text(text)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(Path.home()),  # holds the unpacked CDK library, which saves seconds
        "AWS_CONFIG_FILE": str(folder / "none"),
        "AWS_SHARED_CREDENTIALS_FILE": str(folder / "none"),
        "PYTHONPATH": str(folder),
        "NODE_OPTIONS": f"--require {folder / 'no-network.cjs'}",
        "CDK_OUTDIR": str(folder / "out"),
        "CDK_VALIDATION": "false",
        "CDK_CONTEXT_JSON": json.dumps(context),
    }
    command = [sys.executable, "app.py"]
    return subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("context", [{}, {"environment": "staging"}])
def test_wrong_environment_is_answered_in_one_sentence(tmp_path: Path, context: dict[str, str]) -> None:
    """The command line shows which environments there are, and no traceback."""
    done = _run_app(tmp_path, context)

    assert done.returncode == 1
    assert done.stderr.endswith("where NAME is one of dev, graviton, local, prod.\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.rule("Synthesis needs no credentials and no network", tool="CDK", emulated="")
def test_synthesis_needs_neither_credentials_nor_network(tmp_path: Path) -> None:
    """In an empty environment whose sockets end the program, the assembly is the usual one."""
    done = _run_app(tmp_path, {"environment": "dev"})

    assert (done.returncode, done.stderr) == (0, "")
    produced = read(tmp_path / "out", "dev", "decision").content
    assert produced == read(assembly("dev"), "dev", "decision").content


def test_environments_may_lie_in_another_folder(tmp_path: Path) -> None:
    """The context environments_directory points to files outside the checkout."""
    changed(tmp_path, "dev", ("semif-dev-chat", "elsewhere-chat"))

    done = _run_app(tmp_path, {"environment": "dev", "environments_directory": str(tmp_path)})

    assert done.returncode == 0
    chat = read(tmp_path / "out", "dev", "chat")
    assert chat.only("AWS::SageMaker::Endpoint")[1]["EndpointName"] == "elsewhere-chat"


@pytest.mark.rule("Two syntheses of one commit are byte-identical", tool="CDK", emulated="")
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_two_syntheses_are_byte_identical(tmp_path: Path, environment: str) -> None:
    """No clock, no chance and no path of the machine is in any file of the assembly."""
    one, other = (synthesize(environment, tmp_path / name) for name in ("one", "other"))

    files = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(other) for path in other.rglob("*") if path.is_file())
    for path in files:
        assert (one / path).read_bytes() == (other / path).read_bytes(), path


def test_stacks_deploy_in_the_order_of_their_needs() -> None:
    """Builds come after the artifacts, endpoints after the builds."""
    manifest = json.loads((assembly("dev") / "manifest.json").read_text("utf-8"))["artifacts"]
    after = {
        name.removeprefix("semif-dev-"): {each.removeprefix("semif-dev-") for each in entry.get("dependencies", [])}
        for name, entry in manifest.items()
        if entry["type"] == "aws:cloudformation:stack"
    }

    assert "artifact" in after["build"]
    assert "build" in after["chat"]
    assert "build" in after["decision"]


@pytest.mark.parametrize(("environment", "protected"), [("dev", False), ("prod", True), ("local", False)])
def test_termination_protection_follows_the_settings(environment: str, *, protected: bool) -> None:
    """A protected environment's stacks cannot be deleted by mistake."""
    manifest = json.loads((assembly(environment) / "manifest.json").read_text("utf-8"))["artifacts"]

    stacks = [each for each in manifest.values() if each["type"] == "aws:cloudformation:stack"]

    assert {each["properties"].get("terminationProtection") for each in stacks} == {protected}


@pytest.mark.parametrize(("region", "account"), [("eu-central-1", "763104351884"), ("cn-north-1", "727897471807")])
def test_registry_account_is_the_region_s_own(tmp_path: Path, region: str, account: str) -> None:
    """A concrete region gets the account that AWS publishes for it."""
    changed(tmp_path, "dev", ('name = "dev"', f'name = "dev"\nregion = "{region}"'))

    chat = read(synthesize("dev", tmp_path / "out", tmp_path), "dev", "chat")

    assert flat(chat.only("Custom::PinnedImage")[1]["RepositoryUri"]).startswith(f"{account}.dkr.ecr.{region}.")


def test_region_without_registry_is_refused(tmp_path: Path) -> None:
    """There is no account to fall back on: the sentence names the setting that gives one."""
    changed(tmp_path, "dev", ('name = "dev"', 'name = "dev"\nregion = "us-gov-west-1"'))

    with pytest.raises(
        ConfigurationError, match=r"^dev\.toml: environment\.region: .* us-gov-west-1; set .*registry_account"
    ):
        build("dev", directory=tmp_path)


def test_registry_account_of_the_settings_comes_first(tmp_path: Path) -> None:
    """A mirror, or a region that the library does not know yet, is a value in the file."""
    lines = 'name = "dev"\nregion = "us-gov-west-1"\nregistry_account = "444455556666"'
    changed(tmp_path, "dev", ('name = "dev"', lines))

    chat = read(synthesize("dev", tmp_path / "out", tmp_path), "dev", "chat")

    assert chat.only("Custom::PinnedImage")[1]["RegistryId"] == "444455556666"
