"""The folder of a hand-over, deployed without the CDK: with boto3 alone, and by its own script."""

import hashlib
import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from config.assets_bucket import PREFIX
from config.loader import ENVIRONMENTS_DIRECTORY
from handoff.__main__ import hand_over
from local_aws.checkout import CACHE, REGION
from local_aws.demo import leftovers
from local_aws.deployment import wrong_checksum
from local_aws.questions import CHAT, ask
from local_aws.session import Address, LocalAws

# Each call of the command line takes seconds by itself where the machine is busy.
pytestmark = [
    pytest.mark.local_aws,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    # botocore drops a connection that the server closed while a stack was at work, and Python notices it.
    pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"),
]
BUCKET = "acme-assets"
POLICIES = "semif-local-deployer"


@dataclass(frozen=True)
class Deployer:
    """A user who has the policies of the folder and no other."""

    address: Address
    access_key_id: str
    secret_access_key: str

    def client(self, service: str) -> Any:
        """Return a client with the user's permissions."""
        session = boto3.Session(self.access_key_id, self.secret_access_key, region_name=REGION)
        clients: Any = session
        return clients.client(service, endpoint_url=self.address.emulator.url, verify=self.address.emulator.certificate)

    def run(self, folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run the folder's script with the AWS command line."""
        settings = self.address.environment() | {
            "AWS_ACCESS_KEY_ID": self.access_key_id,
            "AWS_SECRET_ACCESS_KEY": self.secret_access_key,
            "PATH": os.pathsep.join([str(CACHE / "aws-cli" / "bin"), os.environ["PATH"]]),
            "POLL_SECONDS": "2",
        }
        command = [str(folder / "deploy.sh")]
        return subprocess.run(command, env=settings | environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is handed over of the environment `local`."""
    folder = tmp_path_factory.mktemp("handoff") / "local"
    hand_over("local", BUCKET, directory=ENVIRONMENTS_DIRECTORY, folder=folder)
    return folder


@pytest.fixture(scope="module")
def deployer(folder: Path) -> Iterator[Deployer]:
    """An embedded AWS with the bucket of the archives and the deployer."""
    with LocalAws(name="handoff") as aws:
        address = aws.address
        address.client("s3").create_bucket(Bucket=BUCKET)
        cloudformation, iam = address.client("cloudformation"), address.client("iam")
        template = (folder / "iam" / "deployer.template.json").read_text("utf-8")
        outputs = create(cloudformation, POLICIES, TemplateBody=template)
        iam.create_user(UserName="deployer")
        for output in outputs:
            iam.attach_user_policy(UserName="deployer", PolicyArn=output["OutputValue"])
        key = iam.create_access_key(UserName="deployer")["AccessKey"]
        yield Deployer(address, key["AccessKeyId"], key["SecretAccessKey"])


def create(cloudformation: Any, name: str, **template: str) -> list[dict[str, str]]:
    """Create one stack, wait until it is there, and return its outputs."""
    cloudformation.create_stack(StackName=name, Capabilities=["CAPABILITY_IAM"], **template)
    while (stack := cloudformation.describe_stacks(StackName=name)["Stacks"][0])["StackStatus"].endswith("_PROGRESS"):
        time.sleep(0.2)
    events = cloudformation.describe_stack_events(StackName=name)["StackEvents"]
    failed = [event.get("ResourceStatusReason") for event in events if event["ResourceStatus"].endswith("_FAILED")]
    assert (stack["StackStatus"], failed) == ("CREATE_COMPLETE", [])
    outputs: list[dict[str, str]] = stack["Outputs"]
    return outputs


def delete(cloudformation: Any, names: list[str]) -> None:
    """Delete stacks, the last first, and wait for each."""
    for name in reversed(names):
        cloudformation.delete_stack(StackName=name)
        cloudformation.get_waiter("stack_delete_complete").wait(StackName=name, WaiterConfig={"Delay": 1})


def stacks(folder: Path) -> list[str]:
    """Return the names of the folder's stacks in their order."""
    return [line.split("\t")[0] for line in (folder / "stacks.tsv").read_text().splitlines()]


def answer(address: Address) -> None:
    """Ask both endpoints."""
    answers = ask(address)
    assert answers.decision["option_ids"] == ["account_access", "billing", "sales"]
    assert "Paris" in answers.chat["choices"][0]["message"]["content"]


@pytest.mark.rule(
    "a hand-over deploys without CDK and bootstrap, and both endpoints answer",
    tool="boto3, the AWS command line",
    emulated="CloudFormation, SageMaker, S3, IAM, CodeBuild and Lambda accept the templates and calls",
)
def test_folder_is_deployed_with_boto3_alone(folder: Path, deployer: Deployer) -> None:
    """Its archives and templates uploaded, its stacks created in their order: both endpoints answer."""
    s3, cloudformation = deployer.client("s3"), deployer.client("cloudformation")
    for file in (*folder.glob("assets/*"), *folder.glob("templates/*")):
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        s3.put_object(Bucket=BUCKET, Key=f"{PREFIX}{digest}.{file.name.split('.', 1)[1]}", Body=file.read_bytes())

    for name in stacks(folder):
        digest = hashlib.sha256((folder / "templates" / f"{name}.template.json").read_bytes()).hexdigest()
        url = f"https://s3.{REGION}.amazonaws.com/{BUCKET}/{PREFIX}{digest}.template.json"
        create(cloudformation, name, TemplateURL=url)

    answer(deployer.address)
    delete(cloudformation, stacks(folder))
    assert leftovers(deployer.address) == [POLICIES]


def test_script_deploys_the_folder(folder: Path, deployer: Deployer) -> None:
    """Run with the AWS command line it makes both endpoints, and run again it changes nothing."""
    first, second = deployer.run(folder), deployer.run(folder)

    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.splitlines() == [f"{name}: CREATE_COMPLETE" for name in stacks(folder)]
    assert (second.returncode, second.stderr) == (0, "")
    assert second.stdout.splitlines() == [f"{name}: CREATE_COMPLETE, no changes" for name in stacks(folder)]
    answer(deployer.address)


def test_script_stops_where_a_stack_fails(deployer: Deployer, tmp_path: Path) -> None:
    """The reason is on the error stream, no later stack is touched, and both endpoints answer as before."""
    directory, right, wrong = wrong_checksum(tmp_path / "environments")
    hand_over("local", BUCKET, directory=directory, folder=tmp_path / "wrong")

    done = deployer.run(tmp_path / "wrong")

    assert done.returncode == 1
    assert any(right in line and wrong in line for line in done.stderr.splitlines())
    assert done.stderr.endswith("semif-local-build is UPDATE_ROLLBACK_COMPLETE: what ran before runs again.\n")
    assert done.stdout == "semif-local-artifact: CREATE_COMPLETE, no changes\n"
    answer(deployer.address)


@pytest.mark.rule(
    "a retained log group stops a hand-over by its name, and deleting it is enough",
    tool="the folder's script, the AWS command line",
    emulated="CloudFormation's refusal of a log group that exists",
)
def test_retained_log_group_is_in_the_way_until_it_is_deleted(folder: Path, deployer: Deployer) -> None:
    """The script names it and stops; what the folder's README says is then enough."""
    cloudformation, logs = deployer.address.client("cloudformation"), deployer.address.client("logs")
    group, chat = f"/aws/sagemaker/Endpoints/{CHAT}", "semif-local-chat"
    delete(cloudformation, [chat])
    logs.create_log_group(logGroupName=group)

    refused = deployer.run(folder)

    assert refused.returncode == 1
    assert any(group in line and "already exists" in line for line in refused.stderr.splitlines())
    assert refused.stderr.endswith(f"{chat} is ROLLBACK_COMPLETE; README.md says what to do.\n")
    readme = (folder / "README.md").read_text("utf-8")
    assert "`aws logs delete-log-group` removes one" in readme
    delete(cloudformation, [chat])
    logs.delete_log_group(logGroupName=group)
    again = deployer.run(folder)
    assert (again.returncode, again.stderr) == (0, "")
    assert f"{chat}: CREATE_COMPLETE" in again.stdout.splitlines()
    answer(deployer.address)


@pytest.mark.rule(
    "the deployer's policies bound the stacks and the bucket that the script may use",
    tool="",
    emulated="ministack evaluates the policies for the script's own calls, not for what CloudFormation does for it",
)
def test_deployer_may_touch_nothing_else(deployer: Deployer) -> None:
    """Another stack and another key of the bucket are denied."""
    with pytest.raises(ClientError, match=r"not authorized to perform: cloudformation:CreateStack"):
        deployer.client("cloudformation").create_stack(StackName="other", TemplateBody='{"Resources": {}}')
    with pytest.raises(ClientError, match=r"AccessDenied"):
        deployer.client("s3").put_object(Bucket=BUCKET, Key="other", Body=b"")
