"""The operator's commands against the deployed environment, in health and in each way it can be broken."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from config.loader import ENVIRONMENTS_DIRECTORY, load
from local_aws.checkout import DLC_REPOSITORY
from local_aws.deployment import Deployment, wrong_checksum
from local_aws.emulator.image_registry import ImageRegistry
from local_aws.process_session import members
from local_aws.questions import Answers
from local_aws.session import Address, LocalAws
from local_aws.stand_in_image import CHAT_ROLE, ROLE_LABEL, stand_in
from tests.local_aws.operators_command import lines_of, operate
from tests.local_aws.published_archive import published, swapped_behind_the_policy

pytestmark = pytest.mark.local_aws
SETTINGS = load("local")
CHAT = SETTINGS.chat.endpoint_name


def wrong_lines(lines: dict[str, dict[str, str]]) -> dict[str, str]:
    """Return what is wrong, by subject; whether the checkout's files are committed is nobody's fault here."""
    wrong = {subject: line["says"] for subject, line in lines.items() if line["state"] == "wrong"}
    return {subject: says for subject, says in wrong.items() if subject != "commit"}


@pytest.mark.rule(
    "what runs is traced from the endpoint to the file, and a link that does not hold is named",
    tool="the decision container itself, the published archive's bytes",
    emulated="what SageMaker, CloudFormation and ECR describe",
)
def test_what_runs_is_traced_to_the_file(deployment: Deployment, answers: Answers) -> None:
    """Every link holds, the archive's read here too; with another archive under the key the chain breaks there."""
    assert answers
    address = deployment.address

    _, lines = lines_of(address, "trace", "local", "--read")

    assert wrong_lines(lines) == {}
    assert lines["decision answers"]["says"].endswith(f"serves GGUF {SETTINGS.model.sha256}")
    _, deployed = lines_of(address, "trace", "local")
    read = lines["chat archive"]["says"].partition(",")[0]
    assert deployed["chat archive"]["says"] == f"{read}, verified at deployment"
    code, verified = operate(address, "verify", "local")
    assert (code, [each["refusal"] for each in verified]) == (0, [None, None])
    assert read == f"SHA-256 {verified[0]['facts']['ArchiveSha256']}"
    with swapped_behind_the_policy(address) as other:
        code, lines = lines_of(address, "trace", "local", "--read")
        refused, verified = operate(address, "verify", "local")
    assert (code, refused) == (2, 2)
    assert all(other in each["refusal"] for each in verified)
    expected = f"archive → GGUF: read just now, it holds {other}, its key names {SETTINGS.model.sha256}"
    assert wrong_lines(lines) == {"chat model": expected, "decision model": expected}


def test_pins_are_checked_and_one_is_updated(deployment: Deployment, answers: Answers, tmp_path: Path) -> None:
    """All pins resolve; the tag's image is the pinned one already, and an unknown tag changes nothing."""
    assert answers
    address = deployment.address

    code, lines = lines_of(address, "pin", "check", "local")

    assert (code, wrong_lines(lines)) == (0, {})
    folder, _, _ = wrong_checksum(tmp_path / "environments")
    before = (folder / "local.toml").read_bytes()
    where = ("--environments-directory", str(folder), "--yes")
    tag = ("pin", "update", "local", "images.chat", "--tag")
    code, told = operate(address, *tag, "server-sagemaker-cpu-v1", *where)
    assert (code, told["changed"], told["new"]) == (0, False, SETTINGS.images.chat.digest)
    code, said = operate(address, *tag, "v9", *where)
    assert code == 2
    assert "holds no image v9" in said
    assert (folder / "local.toml").read_bytes() == before


def test_questions_are_asked_by_hand(deployment: Deployment, answers: Answers, tmp_path: Path) -> None:
    """Both endpoints answer as they answer boto3, a request from a file and a stream too."""
    address, request = deployment.address, tmp_path / "request.json"
    request.write_text(json.dumps({"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 4}))

    _, decision = operate(address, "ask", "decision", "local")
    _, chat = operate(address, "ask", "chat", "local", "--file", str(request))
    _, streamed = operate(address, "ask", "chat", "local", "--stream")

    assert decision["decision"]["result"]["option_logits"] == answers.decision["option_logits"]
    assert chat["chat"]["usage"]["completion_tokens"] <= 4
    assert "".join(streamed["streamed"]["pieces"]).split() == answers.streamed.text.split()


def push(address: Address, tag: str) -> str:
    """Put another image that serves chat into the containers' registry and return its digest."""
    image, emulator = stand_in({ROLE_LABEL: CHAT_ROLE, "release": tag}), address.emulator
    # The registry asks a session only for its clients.
    session: Any = address
    ImageRegistry(emulator.url, emulator.certificate).push(session, DLC_REPOSITORY, tag, image)
    return image.digest


def denied_key(address: Address, action: str) -> dict[str, str]:
    """Return the variables of a caller who may do everything but one action."""
    iam = address.client("iam")
    name = f"without-{action.replace(':', '-')}"
    iam.create_user(UserName=name)
    statements: list[dict[str, Any]] = [{"Effect": "Allow", "Action": "*", "Resource": "*"}]
    statements.append({"Effect": "Deny", "Action": action, "Resource": "*"})
    policy = json.dumps({"Version": "2012-10-17", "Statement": statements})
    iam.put_user_policy(UserName=name, PolicyName="p", PolicyDocument=policy)
    key = iam.create_access_key(UserName=name)["AccessKey"]
    return {"AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}


def pins_ahead_of_what_runs(address: Address, edited: Path) -> None:
    """Update both images of a copy of the file, which nobody deploys: what runs is then not what the file has."""
    newer = push(address, "newer")
    shutil.copytree(ENVIRONMENTS_DIRECTORY, edited)
    where = ("--environments-directory", str(edited))
    for pin, found in (("chat", ["chat image"]), ("decision_base", ["repository", "chat image", "decision image"])):
        code, told = operate(address, "pin", "update", "local", f"images.{pin}", "--tag", "newer", "--yes", *where)
        assert (code, told["old"], told["new"]) == (0, SETTINGS.images.chat.digest, newer)
        code, lines = lines_of(address, "doctor", "local", *where)
        assert (code, list(wrong_lines(lines))) == (2, found)
    assert lines["chat image"]["says"] == f"runs {SETTINGS.images.chat.digest}, the file has {newer}"
    code, lines = lines_of(address, "trace", "local", *where)
    assert (code, list(wrong_lines(lines))) == (2, ["chat image", "decision image"])
    assert "image digest → content hash" in lines["decision image"]["says"]


def containers(address: Address) -> list[int]:
    """Return the processes of endpoints that the embedded AWS has running."""
    commands = {process: Path(f"/proc/{process}/cmdline").read_bytes() for process in members(address.emulator.pid)}
    return [
        process for process, command in commands.items() if b"semif\0serve" in command or b"llama-server" in command
    ]


def retired_twice(address: Address, bucket: str) -> None:
    """Retire the environment, then once more; doctor and trace then miss both endpoints and nothing else."""
    assert len(containers(address)) == 2
    code, told = lines_of(address, "retire", "local", "--yes")
    assert code == 0
    assert told["chat endpoint"]["says"] == f"{CHAT} is deleted"
    assert bucket == told["bucket"]["says"]
    sagemaker = address.client("sagemaker")
    assert sagemaker.list_endpoints()["Endpoints"] == []
    assert sagemaker.list_models()["Models"] == []
    assert containers(address) == []
    code, told = lines_of(address, "retire", "local", "--yes")
    assert (code, told["chat endpoint"]["says"]) == (0, f"{CHAT} was gone already")

    code, lines = lines_of(address, "doctor", "local")
    assert (code, list(wrong_lines(lines))) == (2, ["chat endpoint", "decision endpoint"])
    code, lines = lines_of(address, "trace", "local")
    assert list(wrong_lines(lines)) == ["chat endpoint", "decision endpoint"]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.rule(
    "a healthy environment has nothing wrong, and what is broken is named with what to do next",
    tool="CDK command line, the packaging build itself",
    emulated="what every service describes; quotas cannot be looked up there",
)
def test_doctor_knows_health_and_each_way_to_be_ill(tmp_path: Path) -> None:
    """One account's story: nothing deployed, healthy, six ways broken, mended, retired twice."""
    with LocalAws(name="doctor") as aws:
        address, deployment = aws.address, Deployment(aws.address)

        code, lines = lines_of(address, "doctor", "local")
        assert code == 2
        assert lines["stack semif-local-artifact"]["action"] == "make deploy ENV=local"

        deployment.synthesize()
        deployment.bootstrap()
        assert deployment.deploy().code == 0
        code, lines = lines_of(address, "doctor", "local")
        # The embedded AWS has no Service Quotas, which is the one warning.
        assert (code, wrong_lines(lines)) == (1, {})
        assert [subject for subject, line in lines.items() if line["state"] == "warning"] == ["quotas"]

        code, lines = lines_of(address, "doctor", "local", AWS_ACCESS_KEY_ID="AKIAUNKNOWN", AWS_SECRET_ACCESS_KEY="x")
        assert (code, list(lines)) == (2, ["credentials"])

        code, lines = lines_of(address, "doctor", "local", **denied_key(address, "s3:ListBucket"))
        assert list(wrong_lines(lines)) == ["bucket"]
        assert "permission" in lines["bucket"]["action"]

        pins_ahead_of_what_runs(address, tmp_path / "edited")

        folder, _, wrong = wrong_checksum(tmp_path / "environments")
        assert deployment.deploy(context=("--context", f"environments_directory={folder}")).code != 0
        code, lines = lines_of(address, "doctor", "local")
        assert (code, wrong_lines(lines)) == (1, {})
        assert "UPDATE_ROLLBACK_COMPLETE" in lines["stack semif-local-build"]["says"]
        assert wrong in lines["stack semif-local-build"]["says"]
        failed = [line for subject, line in lines.items() if subject.startswith("build ") and "FAILED" in line["says"]]
        assert [wrong in line["says"] for line in failed] == [True]

        archive = published(address)
        root = address.client("s3", root=True)
        root.delete_object(Bucket=archive.bucket, Key=archive.key)
        code, lines = lines_of(address, "doctor", "local")
        assert (code, list(wrong_lines(lines))) == (2, ["model key"])
        root.put_object(Bucket=archive.bucket, Key=archive.key, Body=archive.content)

        retired_twice(address, archive.bucket)

        deployment.destroy()
        assert published_keys(address, archive.bucket) == []


def published_keys(address: Address, bucket: str) -> list[str]:
    """Return the published keys of a bucket, none where it is gone."""
    s3 = address.client("s3", root=True)
    names = [each["Name"] for each in s3.list_buckets()["Buckets"]]
    return [each["Key"] for each in s3.list_objects_v2(Bucket=bucket).get("Contents", [])] if bucket in names else []
