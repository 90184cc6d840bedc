"""A model in several files: from a bucket through build and verification to both endpoints, on an embedded AWS."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from local_aws.checkout import SOURCE_BUCKET, SOURCE_MODEL
from local_aws.deployment import Deployment
from local_aws.questions import Answers
from local_aws.session import LocalAws
from tests.local_aws.operators_command import lines_of, operate
from tests.local_aws.story import Edit, Story
from tests.unit.builds.split_gguf import split

pytestmark = [pytest.mark.local_aws, pytest.mark.slow, pytest.mark.timeout(1500)]


def _edits(files: dict[str, bytes]) -> tuple[Edit, ...]:
    """Return what makes the environment's model this set, in a folder of the source's bucket."""
    pins = [(name, len(body), hashlib.sha256(body).hexdigest()) for name, body in files.items()]
    (first, size, sha256), *further = pins
    parts = "".join(
        f'[[model.parts]]\nfile = "{name}"\nbytes = {bytes_}\nsha256 = "{digest}"\n\n'
        for name, bytes_, digest in further
    )
    return (
        (r'^file = "SmolLM2[^"]+"$', f'file = "{first}"'),
        (r"^bytes = \d+\nsha256 = \"\w+\"$", f'bytes = {size}\nsha256 = "{sha256}"'),
        (rf'"s3://{SOURCE_BUCKET}/[^"]+"$', f'"s3://{SOURCE_BUCKET}/q4/{first}"'),
        (r"^\[images\]$", f"{parts}[images]"),
    )


def _said(answers: Answers) -> tuple[Any, Any]:
    return answers.decision["option_logits"], answers.chat["choices"][0]["message"]["content"]


@pytest.mark.rule(
    "a model in several files is published, verified, served and traced as one, and answers as it does in one file",
    tool="CDK command line, the build's own script, the verification handler, the decision container, llama-server",
    emulated="SageMaker's fetching of model data",
)
def test_endpoints_move_to_a_model_in_several_files(tmp_path: Path) -> None:
    """First as an archive, then as files; the operator's commands know every part, and a part that is swapped fails."""
    with LocalAws(name="split") as aws:
        deployment = Deployment(aws.address)
        deployment.synthesize()
        deployment.bootstrap()
        story = Story(deployment, tmp_path)
        story.become(story.text)
        whole = _said(story.ask())
        s3 = aws.address.client("s3")
        files = split(SOURCE_MODEL, "smollm2", [0, 200, 72])
        for name, body in files.items():
            s3.put_object(Bucket=SOURCE_BUCKET, Key=f"q4/{name}", Body=body)

        story.become(story.edited(*_edits(files)))

        answers = story.ask()
        assert _said(answers) == whole
        parts = answers.decision["model"]["gguf"]["parts"]
        assert [part["sha256"] for part in parts] == [hashlib.sha256(body).hexdigest() for body in files.values()][1:]
        directory = ("--environments-directory", str(story.environments(story.text)))
        _, lines = lines_of(aws.address, "trace", "local", "--read", *directory)
        wrong = {subject: line["says"] for subject, line in lines.items() if line["state"] == "wrong"}
        assert wrong.keys() <= {"commit"}
        _, checked = lines_of(aws.address, "pin", "check", "local", *directory)
        assert "and 2 further parts: " in checked["model.source"]["says"]

        story.become(story.edited((r'^license = "apache-2.0"$', 'license = "apache-2.0"\npackaging = "uncompressed"')))

        assert _said(story.ask()) == whole
        directory = ("--environments-directory", str(story.environments(story.text)))
        code, verified = operate(aws.address, "verify", "local", *directory)
        assert code == 0
        assert all(each["facts"]["Proof"].startswith("S3 compared a full-object SHA-256") for each in verified)
        last = list(files)[-1]
        outcome = story.attempt(story.text.replace(hashlib.sha256(files[last]).hexdigest(), "f" * 64))
        assert outcome.code != 0
        assert f"{last} has sha256" in outcome.output
        assert _said(story.ask()) == whole
