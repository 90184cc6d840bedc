"""The folder of a hand-over, read as whoever gets it reads it."""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from handoff.__main__ import hand_over
from tests.template.handed_over import BUCKET, handed_over, templates
from tests.template.synthesis import DIRECTORY, ENVIRONMENTS

CHECKOUT = Path(__file__).parents[2]


@pytest.mark.rule(
    "A hand-over needs no bootstrap: no version rule, no bootstrap bucket, no role", tool="CDK", emulated=""
)
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_folder_needs_no_bootstrap(environment: str) -> None:
    """No file of it names anything that `cdk bootstrap` makes."""
    for path in handed_over(environment).rglob("*"):
        if path.suffix in {".json", ".tsv", ".sh"}:
            text = path.read_text("utf-8")
            assert not re.search(r"BootstrapVersion|cdk-bootstrap|cdk-hnb659fds|AssumeRoleArn", text), path


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_archive_is_there_under_its_own_digest(environment: str) -> None:
    """What the templates name, the folder holds, nothing else, and each file is what its name and the list say."""
    folder = handed_over(environment)
    named = {
        digest for text in templates(environment).values() for digest in re.findall(r"semif/([0-9a-f]{64})\.zip", text)
    }
    assert {path.stem for path in (folder / "assets").iterdir()} == named

    checked = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder, check=False)
    assert checked.returncode == 0
    listed_files = {line.split("  ")[1] for line in (folder / "SHA256SUMS").read_text().splitlines()}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert there == listed_files | {"SHA256SUMS"}
    for path in (folder / "assets").iterdir():
        assert path.stem == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_parameter_is_documented(environment: str) -> None:
    """The README names each with its meaning, default and stacks; templates say the same."""
    readme = (handed_over(environment) / "README.md").read_text("utf-8")
    for stack, text in templates(environment).items():
        assert f"`{stack}`" in readme
        for name, parameter in json.loads(text).get("Parameters", {}).items():
            (row,) = [line for line in readme.splitlines() if line.startswith(f"| `{name}` |")]
            assert parameter["Description"] in row
            assert f"`{parameter['Default']}`" in row
            assert f"`{stack}`" in row


@pytest.mark.rule("One commit is handed over as the same bytes", tool="CDK", emulated="")
def test_same_commit_is_handed_over_as_the_same_bytes(tmp_path: Path) -> None:
    """A second folder is the first one, modes included."""
    hand_over("dev", BUCKET, directory=DIRECTORY, folder=tmp_path / "again")

    def everything(folder: Path) -> dict[str, tuple[int, bytes]]:
        files = [path for path in folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): (path.stat().st_mode, path.read_bytes()) for path in files}

    assert everything(tmp_path / "again") == everything(handed_over("dev"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("staging", BUCKET), "there is no environment 'staging': say -c environment=NAME, where NAME is one of "),
        (("dev", "Not_A_Bucket"), "ASSETS_BUCKET: 'Not_A_Bucket' is no name of a bucket: "),
    ],
)
def test_bad_request_is_refused_in_one_sentence(tmp_path: Path, arguments: tuple[str, str], sentence: str) -> None:
    """The command writes nothing and says what is wrong, without a traceback."""
    environment, bucket = arguments
    command = [sys.executable, "-m", "handoff", "--environment", environment, "--assets-bucket", bucket]

    done = subprocess.run(
        [*command, "--output", str(tmp_path / "out")], capture_output=True, text=True, check=False, cwd=CHECKOUT
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(sentence)
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()
