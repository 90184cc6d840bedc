"""The packaging script as CodeBuild runs it: a process with an environment, an S3 and an exit code."""

import base64
import io
import json
import random
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

import boto3
import pytest

from tests.unit.builds.pins import environment
from tests.unit.builds.tiny_gguf import Tensor, tiny_gguf

SCRIPT = Path(__file__).parents[3] / "builds/model_package/package_model.py"
NOISE = random.Random(7).randbytes(20 << 20)  # noqa: S311 - incompressible, so that the archive takes two parts
GGUF = tiny_gguf(tensors=(Tensor(b"w", (len(NOISE) // 4,)),))[: -len(NOISE)] + NOISE


@pytest.fixture(scope="module")
def s3(aws: dict[str, str]) -> Any:
    """A client of that S3, with the two buckets."""
    client = boto3.client(
        "s3",
        endpoint_url=aws["AWS_ENDPOINT_URL"],
        aws_access_key_id=aws["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=aws["AWS_SECRET_ACCESS_KEY"],
        region_name=aws["AWS_DEFAULT_REGION"],
    )
    for bucket in ("semif-models", "semif-artifacts"):
        client.create_bucket(Bucket=bucket)
    yield client
    client.close()


def run(aws: dict[str, str], variables: dict[str, str], tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Run the script against a model in that S3."""
    source = {"MODEL_SOURCE_KIND": "s3", "MODEL_SOURCE_URI": "s3://semif-models/tiny.gguf"}
    return subprocess.run(
        [sys.executable, SCRIPT],
        env=aws | variables | source | {"TMPDIR": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )


def started(aws: dict[str, str], variables: dict[str, str], tmp_path: Path) -> subprocess.Popen[bytes]:
    """Start the script against a model in that S3."""
    source = {"MODEL_SOURCE_KIND": "s3", "MODEL_SOURCE_URI": "s3://semif-models/tiny.gguf"}
    return subprocess.Popen(
        [sys.executable, SCRIPT],
        env=aws | variables | source | {"TMPDIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def report(s3: Any, name: str) -> dict[str, str]:
    """The report that a build left."""
    stored = s3.get_object(Bucket="semif-artifacts", Key=f"reports/model-package/{name}.json")
    read: dict[str, str] = json.loads(stored["Body"].read())
    return read


@pytest.mark.rule(
    "a build publishes the pinned model once, in parts, and says so where the deployment reads it",
    tool="the build's own script, boto3",
    emulated="S3's conditional write (moto)",
)
def test_the_script_publishes_once(aws: dict[str, str], s3: Any, tmp_path: Path) -> None:
    """The first run publishes, the second leaves what is there; both succeed and leave no file behind."""
    s3.put_object(Bucket="semif-models", Key="tiny.gguf", Body=GGUF)
    variables = environment(GGUF, {"CODEBUILD_BUILD_ID": "model-package:first"})

    first = run(aws, variables, tmp_path)
    second = run(aws, variables | {"CODEBUILD_BUILD_ID": "model-package:second"}, tmp_path)

    stored = s3.get_object(Bucket="semif-artifacts", Key=variables["ARTIFACT_KEY"])
    with tarfile.open(fileobj=io.BytesIO(stored["Body"].read())) as archive:
        assert archive.getnames() == ["tiny.gguf", "model-manifest.json"]
    assert stored["ETag"].endswith('-2"')
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert report(s3, "first")["message"].endswith("is published.")
    assert report(s3, "second")["message"].endswith("was published before and is left as it is.")
    assert {report(s3, name)["status"] for name in ("first", "second")} == {"succeeded"}
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_pin_fails_with_its_sentence_and_publishes_nothing(
    aws: dict[str, str], s3: Any, tmp_path: Path
) -> None:
    """The report and the log name both digests; the bucket holds no object and no parts for the key."""
    other = GGUF[:-1] + bytes([GGUF[-1] ^ 1])
    s3.put_object(Bucket="semif-models", Key="tiny.gguf", Body=GGUF)
    variables = environment(other, {"CODEBUILD_BUILD_ID": "model-package:wrong"})

    ended = run(aws, variables, tmp_path)

    told = report(s3, "wrong")
    assert ended.returncode == 1
    assert told["status"] == "failed"
    assert told["message"] in ended.stdout
    assert variables["MODEL_SHA256"] in told["message"]
    assert environment(GGUF)["MODEL_SHA256"] in told["message"]
    assert "Contents" not in s3.list_objects_v2(Bucket="semif-artifacts", Prefix=f"models/{variables['MODEL_SHA256']}")
    assert "Uploads" not in s3.list_multipart_uploads(Bucket="semif-artifacts")
    assert list(tmp_path.iterdir()) == []


def test_an_unexpected_failure_is_reported_as_well(aws: dict[str, str], s3: Any, tmp_path: Path) -> None:
    """A bucket that does not exist is no refusal of ours, and still ends with a report attempt and a non-zero code."""
    s3.put_object(Bucket="semif-models", Key="tiny.gguf", Body=GGUF)
    variables = environment(GGUF, {"ARTIFACT_BUCKET": "semif-absent"})

    ended = run(aws, variables, tmp_path)

    assert ended.returncode != 0
    assert "NoSuchBucket" in ended.stdout


@pytest.mark.parametrize("packaging", ["archive", "uncompressed"])
def test_two_builds_of_one_pin_at_the_same_time_both_succeed(
    packaging: str, aws: dict[str, str], s3: Any, tmp_path: Path
) -> None:
    """One publishes, the other finds it, whichever is first."""
    gguf = tiny_gguf(tensors=(Tensor(b"w", (len(NOISE) // 4,)),))[: -len(NOISE)] + NOISE[::-1]
    s3.put_object(Bucket="semif-models", Key="tiny.gguf", Body=gguf)
    variables = environment(gguf, {"MODEL_PACKAGING": packaging})
    builds = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        builds.append(
            started(aws, variables | {"CODEBUILD_BUILD_ID": f"model-package:{packaging}-{name}"}, tmp_path / name)
        )

    assert [build.wait() for build in builds] == [0, 0]

    told = sorted(report(s3, f"{packaging}-{name}")["message"].rpartition("model")[2] for name in ("one", "other"))
    assert told[0].endswith("is published.")
    assert told[1].endswith("was published before and is left as it is.")
    assert "Uploads" not in s3.list_multipart_uploads(Bucket="semif-artifacts")


@pytest.mark.rule(
    "a build killed half-way leaves nothing under the final key, and the next run publishes",
    tool="the build's own script, killed",
    emulated="S3 (moto)",
)
def test_a_killed_build_leaves_nothing_under_the_key_and_the_next_succeeds(
    aws: dict[str, str], s3: Any, tmp_path: Path
) -> None:
    """It cannot even take its parts back; the bucket's lifecycle does, and nobody sees them."""
    noise = NOISE * 4
    gguf = tiny_gguf(tensors=(Tensor(b"w", (len(noise) // 4,)),))[: -len(noise)] + noise
    s3.put_object(Bucket="semif-models", Key="tiny.gguf", Body=gguf)
    variables = environment(gguf)
    build = started(aws, variables, tmp_path)
    while build.poll() is None and "Uploads" not in s3.list_multipart_uploads(Bucket="semif-artifacts"):
        time.sleep(0.01)

    build.kill()

    assert build.wait() == -signal.SIGKILL
    (left,) = s3.list_multipart_uploads(Bucket="semif-artifacts")["Uploads"]
    prefix = variables["ARTIFACT_KEY"].removesuffix("model.tar.gz")
    assert "Contents" not in s3.list_objects_v2(Bucket="semif-artifacts", Prefix=prefix)
    assert run(aws, variables, tmp_path).returncode == 0
    assert s3.head_object(Bucket="semif-artifacts", Key=variables["ARTIFACT_KEY"])["ContentLength"] > len(noise)
    s3.abort_multipart_upload(Bucket="semif-artifacts", Key=left["Key"], UploadId=left["UploadId"])


def test_files_are_put_in_one_piece_with_their_own_digest(aws: dict[str, str], s3: Any, tmp_path: Path) -> None:
    """S3 keeps a SHA-256 of the whole GGUF, which the verification takes as proof."""
    s3.put_object(Bucket="semif-models", Key="tiny.gguf", Body=GGUF)
    variables = environment(GGUF, {"MODEL_PACKAGING": "uncompressed"})

    ended = run(aws, variables, tmp_path)

    assert ended.returncode == 0, ended.stderr
    head = s3.head_object(Bucket="semif-artifacts", Key=variables["ARTIFACT_KEY"], ChecksumMode="ENABLED")
    assert base64.b64decode(head["ChecksumSHA256"]).hex() == variables["MODEL_SHA256"]
    assert head["ContentLength"] == len(GGUF)


@pytest.mark.slow
def test_a_stopped_build_leaves_no_parts(aws: dict[str, str], s3: Any, tmp_path: Path) -> None:
    """CodeBuild stops a build with SIGTERM; parts already uploaded are taken back."""
    noise = NOISE * 8
    gguf = tiny_gguf(tensors=(Tensor(b"w", (len(noise) // 4,)),))[: -len(noise)] + noise
    s3.put_object(Bucket="semif-models", Key="tiny.gguf", Body=gguf)
    source = {"MODEL_SOURCE_KIND": "s3", "MODEL_SOURCE_URI": "s3://semif-models/tiny.gguf", "TMPDIR": str(tmp_path)}
    build = subprocess.Popen([sys.executable, SCRIPT], env=aws | environment(gguf) | source, stderr=subprocess.DEVNULL)
    while build.poll() is None and "Uploads" not in s3.list_multipart_uploads(Bucket="semif-artifacts"):
        time.sleep(0.01)

    build.terminate()

    assert build.wait() not in {0, -signal.SIGTERM}
    assert "Uploads" not in s3.list_multipart_uploads(Bucket="semif-artifacts")
    assert list(tmp_path.iterdir()) == []
