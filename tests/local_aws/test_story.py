"""What the demo shows, asserted, and what it does not show: a swapped archive."""

import re
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from config.loader import load
from local_aws import process_session
from local_aws.checkout import ROOT
from local_aws.demo import leftovers
from local_aws.deployment import Deployment, wrong_checksum
from local_aws.questions import Answers, ask, processes, stand_ins
from local_aws.session import Address
from ops.endpoints.verification import LAMBDA_CONFIG, verify
from tests.local_aws.custodian import custodian_client
from tests.local_aws.edited_assembly import edited
from tests.local_aws.published_archive import published, swapped_behind_the_policy

pytestmark = pytest.mark.local_aws
PINNED = load("local").model.sha256


@pytest.mark.rule(
    "one command deploys both endpoints, and both answer",
    tool="CDK command line, boto3, libllama v0.5.0, llama-server",
    emulated="CloudFormation, SageMaker, S3, IAM, CodeBuild and Lambda accept the templates and calls",
)
def test_both_endpoints_answer_after_one_deployment(answers: Answers) -> None:
    """The decision endpoint scores the declared options and the chat endpoint completes."""
    assert answers.decision["option_ids"] == ["account_access", "billing", "sales"]
    assert sum(answers.decision["probabilities"]) == pytest.approx(1)
    assert answers.decision["prompt_sha256"] == load("local").model.known_prompt_sha256
    assert "Paris" in answers.chat["choices"][0]["message"]["content"]


@pytest.mark.rule(
    "the chat endpoint's answer can be read as it is written, and is the one it gives in one piece",
    tool="boto3, llama-server",
    emulated="the runtime's framing of the stream, read back by botocore",
)
def test_chat_answer_streams_in_pieces(answers: Answers) -> None:
    """There are several pieces, and together they are the same text."""
    assert len(answers.streamed.pieces) > 3
    assert answers.streamed.text == " ".join(answers.chat["choices"][0]["message"]["content"].split())


def test_image_build_says_that_it_put_a_stand_in(deployment: Deployment) -> None:
    """The log of the image build says that no image was built."""
    (sentence,) = stand_ins(deployment.address)

    assert "no image was built here" in sentence


@pytest.mark.rule("a second synthesis differs in nothing from what is deployed", tool="CDK command line", emulated="")
def test_second_diff_is_empty(deployment: Deployment, answers: Answers) -> None:
    """A new synthesis of the same commit differs in nothing from what is deployed."""
    assert answers

    outcome = deployment.diff()

    assert outcome.code == 0, outcome.output


@pytest.mark.rule(
    "a second deployment of the same commit builds nothing and changes nothing",
    tool="CDK command line",
    emulated="which builds CodeBuild has run",
)
def test_second_deployment_builds_and_changes_nothing(deployment: Deployment, answers: Answers) -> None:
    """Deploying again starts no build, changes no stack and no endpoint process."""
    builds = deployment.address.client("codebuild")
    before = (builds.list_builds()["ids"], processes(deployment.address))

    outcome = deployment.deploy()

    assert outcome.code == 0
    assert outcome.output.count("(no changes)") == 5
    assert before == (builds.list_builds()["ids"], processes(deployment.address))
    assert ask(deployment.address).comparable() == answers.comparable()


@pytest.mark.rule(
    "a wrong GGUF checksum fails the build with both digests, and both endpoints answer as before",
    tool="the packaging build itself, run in bash",
    emulated="CloudFormation's rollback",
)
def test_wrong_checksum_fails_and_leaves_both_endpoints(
    deployment: Deployment, answers: Answers, tmp_path: Path
) -> None:
    """The deployment fails naming both digests, publishes nothing, and neither endpoint gets another process."""
    before = (processes(deployment.address), published(deployment.address).key)
    folder, right, wrong = wrong_checksum(tmp_path / "environments")

    outcome = deployment.deploy(context=("--context", f"environments_directory={folder}"))

    assert outcome.code != 0
    assert any(right in line and wrong in line for line in outcome.output.splitlines())
    assert before == (processes(deployment.address), published(deployment.address).key)
    assert ask(deployment.address).comparable() == answers.comparable()


@pytest.mark.rule(
    "a published model key cannot be overwritten, not even by an administrator",
    tool="",
    emulated="ministack evaluates the bucket policy; the two S3 condition keys it asks for are supplied by us",
)
def test_published_archive_cannot_be_overwritten(deployment: Deployment, answers: Answers) -> None:
    """A plain put and a copy are denied by the bucket policy, a conditional put fails, and the bytes stay."""
    assert answers
    s3, archive = deployment.address.client("s3"), published(deployment.address)
    there = {"Bucket": archive.bucket, "Key": archive.key}

    for call, parameters, code in (
        (s3.put_object, {"Body": b"other"}, "AccessDenied"),
        (s3.copy_object, {"CopySource": there, "MetadataDirective": "REPLACE"}, "AccessDenied"),
        (s3.put_object, {"Body": b"other", "IfNoneMatch": "*"}, "PreconditionFailed"),
    ):
        with pytest.raises(ClientError) as caught:
            call(**there, **parameters)
        assert caught.value.response["Error"]["Code"] == code

    assert s3.get_object(**there)["Body"].read() == archive.content


@pytest.mark.rule(
    "a published model is removed by its custodian alone, not by an administrator",
    tool="",
    emulated="ministack evaluates the bucket policy and the role's",
)
def test_published_model_is_removed_by_its_custodian_alone(deployment: Deployment, answers: Answers) -> None:
    """Administrators are denied, one by one, by version and in a batch; the role may remove, and do nothing else."""
    assert answers
    address = deployment.address
    s3, bucket, key = address.client("s3"), published(address).bucket, "models/of/a-test/model.tar.gz"
    version = s3.put_object(Bucket=bucket, Key=key, Body=b"x", IfNoneMatch="*")["VersionId"]
    custodian = custodian_client(address)

    there = {"Bucket": bucket, "Key": key}
    for call, parameters in (
        (s3.delete_object, there),
        (s3.delete_object, there | {"VersionId": version}),
        (s3.delete_objects, {"Bucket": bucket, "Delete": {"Objects": [{"Key": key}]}}),
        (custodian.put_object, there | {"Key": f"{key}-2", "Body": b"x", "IfNoneMatch": "*"}),
        (custodian.get_object, there),
        (custodian.delete_object, there | {"Key": "reports/x.json"}),
    ):
        with pytest.raises(ClientError) as caught:
            call(**parameters)
        assert caught.value.response["Error"]["Code"] == "AccessDenied"
    custodian.delete_object(Bucket=bucket, Key=key, VersionId=version)

    assert "Versions" not in custodian.list_object_versions(Bucket=bucket, Prefix=key)


@pytest.mark.rule(
    "a deployment that verifies a swapped archive fails with both digests and rolls back",
    tool="the verification handler itself",
    emulated="CloudFormation's rollback",
)
def test_new_verification_refuses_a_swapped_archive(deployment: Deployment, answers: Answers, tmp_path: Path) -> None:
    """With another GGUF in the archive, a changed verification fails, and the endpoint answers as before.

    What a verification compares is in its logical id, so every change of it arrives as the id this test makes up.
    """

    def verify_anew(template: str) -> str:
        (before,) = re.findall(r'"(VerifiedModel[0-9a-f]{16})": {', template)
        return template.replace(before, "VerifiedModel" + before[:12:-1])

    assembly = edited(ROOT / deployment.assembly, tmp_path / "app", "semif-local-chat", verify_anew)
    before = processes(deployment.address)

    with swapped_behind_the_policy(deployment.address) as digest:
        outcome = deployment.deploy(assembly=assembly)

    assert outcome.code != 0
    assert any(digest in line and PINNED in line for line in outcome.output.splitlines())
    assert status(deployment.address, "semif-local-chat") == "UPDATE_ROLLBACK_COMPLETE"
    assert before == processes(deployment.address)
    assert ask(deployment.address).comparable() == answers.comparable()


@pytest.mark.rule(
    "a swapped archive is found on demand, by the deployed verification itself",
    tool="the verification handler",
    emulated="Lambda, S3",
)
def test_published_model_is_verified_on_demand(deployment: Deployment, answers: Answers) -> None:
    """Both endpoints' functions prove the archive, and refuse another one with both digests."""
    assert answers
    address, settings = deployment.address, load("local")
    cloudformation, functions = address.client("cloudformation"), address.client("lambda", config=LAMBDA_CONFIG)

    right = verify(cloudformation, functions, settings)
    with swapped_behind_the_policy(address) as digest:
        wrong = verify(cloudformation, functions, settings)

    assert [(each.kind, each.refusal) for each in right] == [("chat", None), ("decision", None)]
    assert all("every byte of the archive" in each.sentence for each in right)
    assert [each.kind for each in wrong] == ["chat", "decision"]
    assert all(each.refusal and digest in each.refusal and PINNED in each.refusal for each in wrong)


@pytest.mark.rule(
    "the decision container does not start on a swapped archive",
    tool="the decision container itself",
    emulated="SageMaker keeps the process in service when its replacement is not healthy",
)
def test_decision_container_refuses_a_swapped_archive(deployment: Deployment, answers: Answers, tmp_path: Path) -> None:
    """A process that is started on another GGUF ends with its digest, and the one in service keeps answering."""

    def allow_more(template: str) -> str:
        return re.sub(r'("SEMIF_MAX_BODY_BYTES": )"\d+"', r'\1"300000"', template)

    assembly = edited(ROOT / deployment.assembly, tmp_path / "app", "semif-local-decision", allow_more)

    with swapped_behind_the_policy(deployment.address) as digest:
        outcome = deployment.deploy(assembly=assembly)

    assert outcome.code != 0
    assert "Endpoint semif-local-decision failed: the container ended with code" in outcome.output
    assert digest in outcome.output
    assert status(deployment.address, "semif-local-decision") == "UPDATE_ROLLBACK_COMPLETE"
    assert ask(deployment.address).comparable() == answers.comparable()


@pytest.mark.last
def test_destroy_leaves_nothing(deployment: Deployment, answers: Answers) -> None:
    """After `cdk destroy` no stack, endpoint, model or bucket is left, and no endpoint's process."""
    assert answers

    deployment.destroy()

    assert leftovers(deployment.address) == []
    left = process_session.members(deployment.address.emulator.pid)
    assert not [pid for pid in left if b"serve" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")]


def status(address: Address, stack: str) -> str:
    """Return a stack's status."""
    (found,) = address.client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
    text: str = found["StackStatus"]
    return text
