"""The operator's commands against the deployed environment, in health and in each way it can be broken."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from config.loader import load
from local_aws.deployment import Deployment, wrong_checksum
from local_aws.questions import Answers
from local_aws.session import Address, LocalAws
from tests.local_aws.operators_command import lines_of, operate
from tests.local_aws.published_archive import published, swapped_behind_the_policy

pytestmark = pytest.mark.local_aws
SETTINGS = load("local")
CHAT, DECISION = SETTINGS.chat.endpoint_name, SETTINGS.decision.endpoint_name


def wrong_lines(lines: dict[str, dict[str, str]]) -> dict[str, str]:
    """Return what is wrong, by subject; a commit that the working copy has left is nobody's fault here."""
    return {
        subject: line["says"]
        for subject, line in lines.items()
        if line["state"] == "wrong" and not (subject == "commit" and "changed since" in line["says"])
    }


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
    with swapped_behind_the_policy(address) as other:
        code, lines = lines_of(address, "trace", "local", "--read")
    assert code == 2
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


@contextmanager
def other_image(address: Address) -> Iterator[str]:
    """Let SageMaker record another image for the decision endpoint, then the former again."""
    sagemaker = address.client("sagemaker")
    before = sagemaker.describe_endpoint(EndpointName=DECISION)["EndpointConfigName"]
    (variant,) = sagemaker.describe_endpoint_config(EndpointConfigName=before)["ProductionVariants"]
    model = sagemaker.describe_model(ModelName=variant["ModelName"])
    container = {"Image": SETTINGS.images.chat.digest, "ModelDataUrl": model["PrimaryContainer"]["ModelDataUrl"]}
    registry = model["PrimaryContainer"]["Image"].partition("/")[0]
    container["Image"] = f"{registry}/llama-cpp@{SETTINGS.images.chat.digest}"
    role = model["ExecutionRoleArn"]
    sagemaker.create_model(ModelName="other", ExecutionRoleArn=role, PrimaryContainer=container)
    production = {"VariantName": "AllTraffic", "ModelName": "other", "InstanceType": "ml.c6i.large"}
    sagemaker.create_endpoint_config(
        EndpointConfigName="other", ProductionVariants=[production | {"InitialInstanceCount": 1}]
    )
    sagemaker.update_endpoint(EndpointName=DECISION, EndpointConfigName="other")
    yield SETTINGS.images.chat.digest
    sagemaker.update_endpoint(EndpointName=DECISION, EndpointConfigName=before)
    sagemaker.delete_endpoint_config(EndpointConfigName="other")
    sagemaker.delete_model(ModelName="other")


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

        with other_image(address) as digest:
            code, lines = lines_of(address, "doctor", "local")
            assert (code, list(wrong_lines(lines))) == (2, ["decision image"])
            assert digest in lines["decision image"]["says"]

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

        code, told = lines_of(address, "retire", "local", "--yes")
        assert code == 0
        assert told["chat endpoint"]["says"] == f"{CHAT} is deleted"
        assert archive.bucket == told["bucket"]["says"]
        sagemaker = address.client("sagemaker")
        assert sagemaker.list_endpoints()["Endpoints"] == []
        assert sagemaker.list_models()["Models"] == []
        code, told = lines_of(address, "retire", "local", "--yes")
        assert (code, told["chat endpoint"]["says"]) == (0, f"{CHAT} was gone already")

        code, lines = lines_of(address, "doctor", "local")
        assert (code, list(wrong_lines(lines))) == (2, ["chat endpoint", "decision endpoint"])
        code, lines = lines_of(address, "trace", "local")
        assert list(wrong_lines(lines)) == ["chat endpoint", "decision endpoint"]

        deployment.destroy()
        assert published_keys(address, archive.bucket) == []


def published_keys(address: Address, bucket: str) -> list[str]:
    """Return the published keys of a bucket, none where it is gone."""
    s3 = address.client("s3", root=True)
    names = [each["Name"] for each in s3.list_buckets()["Buckets"]]
    return [each["Key"] for each in s3.list_objects_v2(Bucket=bucket).get("Contents", [])] if bucket in names else []
