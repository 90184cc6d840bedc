"""The folder of a hand-over, read as whoever gets it reads it."""

import functools
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handoff.__main__ import hand_over
from handoff.statements import MAX_CHARACTERS
from tests.template.synthesis import DIRECTORY, ENVIRONMENTS, STACKS, flat, listed, template

CHECKOUT = Path(__file__).parents[2]
BUCKET = "acme-assets"
_FOLDER = tempfile.TemporaryDirectory(prefix="semif-handoff-test-")


@functools.cache
def handed_over(environment: str) -> Path:
    """Return an environment's folder, written once a session."""
    folder = Path(_FOLDER.name) / environment
    hand_over(environment, BUCKET, directory=DIRECTORY, folder=folder)
    return folder


def templates(environment: str) -> dict[str, str]:
    """Return the text of each template by stack, in the order of the script."""
    folder = handed_over(environment)
    names = [line.split("\t")[0] for line in (folder / "stacks.tsv").read_text().splitlines()]
    return {name: (folder / "templates" / f"{name}.template.json").read_text("utf-8") for name in names}


def policies(environment: str) -> list[dict[str, Any]]:
    """Return the deployer's policy documents."""
    content = json.loads((handed_over(environment) / "iam" / "deployer.template.json").read_text("utf-8"))
    return [each["Properties"]["PolicyDocument"] for each in content["Resources"].values()]


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
def test_stacks_stand_in_the_order_of_their_needs(environment: str) -> None:
    """A stack's imports are exports of stacks before it."""
    exported: set[str] = set()
    for text in templates(environment).values():
        content = json.loads(text)
        assert set(_imports(content)) <= exported
        exported |= {each["Export"]["Name"] for each in content["Outputs"].values() if "Export" in each}
    assert len(templates(environment)) == len(STACKS)


def _imports(value: Any) -> Iterator[str]:
    match value:
        case {"Fn::ImportValue": name}:
            yield name
        case dict() | list():
            for each in value.values() if isinstance(value, dict) else value:
                yield from _imports(each)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_templates_are_the_usual_ones_but_for_their_archives(environment: str) -> None:
    """Resources and outputs are those of `cdk deploy`, except where an archive lies."""
    for stack in STACKS:
        usual = dict(template(environment, stack).content)
        found = json.loads(templates(environment)[f"semif-{environment}-{stack}"])
        usual.pop("Rules")
        for content in (usual, found):
            content.pop("Parameters", None)

        assert _without_places(found) == _without_places(usual)


def _without_places(content: Any) -> str:
    text = json.dumps(_flattened(content), sort_keys=True)
    text = re.sub(r"cdk-hnb659fds-assets-(<AWS::\w+>|\w+)-(<AWS::\w+>|[a-z]+-[a-z]+-\d)", "<AssetsBucket>", text)
    return re.sub(r"(semif/)?[0-9a-f]{64}\.zip", "?.zip", text)


def _flattened(value: Any) -> Any:
    match value:
        case {"Fn::Join": _} | {"Fn::Sub": _}:
            return flat(value)
        case dict():
            return {name: _flattened(each) for name, each in value.items()}
        case list():
            return [_flattened(each) for each in value]
    return value


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


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_handed_over_templates_pass_the_linter(environment: str) -> None:
    """The parameter is used where it is, and the deployer's policies are a valid template."""
    paths = sorted(handed_over(environment).rglob("*.template.json"))
    # W3005: the CDK writes DependsOn for every order it knows, also where a reference implies it.
    command = ["cfn-lint", "--ignore-checks", "W3005", "--template", *map(str, paths)]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.rule("One commit is handed over as the same bytes", tool="CDK", emulated="")
def test_same_commit_is_handed_over_as_the_same_bytes(tmp_path: Path) -> None:
    """A second folder is the first one, modes included."""
    hand_over("dev", BUCKET, directory=DIRECTORY, folder=tmp_path / "again")

    def everything(folder: Path) -> dict[str, tuple[int, bytes]]:
        files = [path for path in folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): (path.stat().st_mode, path.read_bytes()) for path in files}

    assert everything(tmp_path / "again") == everything(handed_over("dev"))


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_deployer_s_policies_fit_their_limits(environment: str) -> None:
    """IAM takes 6144 characters a policy and attaches ten of them."""
    found = policies(environment)

    assert len(found) <= 10
    for document in found:
        text = (
            json.dumps(document, separators=(",", ":"))
            .replace('{"Fn::Sub":', "")
            .replace("${AWS::Partition}", "aws-us-gov")
        )
        text = text.replace("${AWS::AccountId}", "0" * 12).replace("${AWS::Region}", "ap-southeast-1")
        assert len(text) <= MAX_CHARACTERS * 1.02  # the closing braces of Fn::Sub are still in it


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_deployer_may_make_every_resource_of_the_templates(environment: str) -> None:
    """Names that templates give are allowed one by one, and only actions without a resource are allowed on all."""
    statements = [each for document in policies(environment) for each in document["Statement"]]
    resources = {each["Fn::Sub"] if isinstance(each, dict) else each for one in statements for each in one["Resource"]}
    for text in templates(environment).values():
        for resource in json.loads(text)["Resources"].values():
            for name in ("EndpointName", "LogGroupName"):
                if isinstance(value := resource.get("Properties", {}).get(name), str):
                    assert any(each.endswith((f"/{value}", f":{value}")) for each in resources)
    on_all = {action for each in statements if each["Resource"] == ["*"] for action in each["Action"]}
    assert on_all <= {
        "application-autoscaling:DescribeScalableTargets",
        "application-autoscaling:DescribeScalingPolicies",
        "application-autoscaling:DescribeScheduledActions",
        "kms:CreateKey",
        "logs:DescribeLogGroups",
        "logs:DescribeResourcePolicies",
    }


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_deployer_may_pass_roles_to_the_services_that_take_them(environment: str) -> None:
    """Each service that a role trusts is named, no other."""
    trusted = {
        statement["Principal"]["Service"]
        for text in templates(environment).values()
        for resource in json.loads(text)["Resources"].values()
        if resource["Type"] == "AWS::IAM::Role"
        for statement in listed(resource["Properties"]["AssumeRolePolicyDocument"]["Statement"])
        if "Service" in statement["Principal"]
    }

    statements = [each for document in policies(environment) for each in document["Statement"]]
    (passing,) = [each for each in statements if each["Action"] == ["iam:PassRole"]]

    assert set(passing["Condition"]["StringEquals"]["iam:PassedToService"]) == trusted


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
