"""A model served as files: one deployment of it, and one back to the archive, on an embedded AWS of its own."""

import json
from pathlib import Path

import pytest

from config.loader import load
from local_aws.deployment import Deployment
from local_aws.questions import CHAT, DECISION
from local_aws.session import LocalAws
from tests.local_aws.story import Story

pytestmark = [pytest.mark.local_aws, pytest.mark.slow, pytest.mark.timeout(900)]

UNCOMPRESSED = (r'^license = "apache-2.0"$', 'license = "apache-2.0"\npackaging = "uncompressed"')
ARCHIVE = (r'^packaging = "uncompressed"\n', "")


def _outputs(story: Story, stack: str) -> dict[str, str]:
    (found,) = story.address.client("cloudformation").describe_stacks(StackName=f"semif-local-{stack}")["Stacks"]
    return {output["OutputKey"]: output["OutputValue"] for output in found["Outputs"]}


@pytest.mark.rule(
    "both packagings serve the same model: an endpoint moves from one to the other and its logits stay the same bits",
    tool="CDK command line, the build's own script, the verification handler, the decision container",
    emulated="SageMaker's fetching of model data, with the execution role's permissions",
)
def test_endpoints_serve_files_and_move_to_the_archive(tmp_path: Path) -> None:
    """Files are published, proven by S3's checksum, served and checked; then the archive of the same digests is."""
    with LocalAws(name="packaging") as aws:
        deployment = Deployment(aws.address)
        deployment.synthesize()
        deployment.bootstrap()
        story = Story(deployment, tmp_path)
        story.become(story.edited(UNCOMPRESSED))

        pin = load("local", story.environments(story.text)).model
        of_files, answers = _outputs(story, "decision"), story.ask().comparable()
        assert pin.packaging == "uncompressed"
        assert of_files["ModelDataUrl"].endswith(pin.served_prefix)
        assert of_files["ModelProof"].startswith("S3 compared a full-object SHA-256")
        bucket = of_files["ModelDataUrl"].removeprefix("s3://").partition("/")[0]
        s3 = aws.address.client("s3")
        record = json.loads(s3.get_object(Bucket=bucket, Key=pin.side_copy_key)["Body"].read())
        assert (record["gguf"]["architecture"], record["manifest"]["license"]) == ("llama", "apache-2.0")
        assert record["builder"]["build"].startswith("arn:aws:codebuild:")
        before = story.processes()

        story.become(story.edited(ARCHIVE))

        assert _outputs(story, "chat")["ModelDataUrl"].endswith("/model.tar.gz")
        assert _outputs(story, "chat")["ModelProof"].startswith("every byte of the archive")
        assert story.ask().comparable() == answers
        assert all(before[name] != story.processes()[name] for name in (CHAT, DECISION))
        assert s3.head_object(Bucket=bucket, Key=pin.object_key)["ContentLength"] == pin.bytes
