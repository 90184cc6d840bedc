import re
from pathlib import Path

import pytest

from config.loader import load
from local_aws.cdk_cli import Outcome
from local_aws.deployment import reason, shown, wrong_checksum

FAILED = (
    "semif-local-build | 6/43 | 9:20:45 PM | CREATE_FAILED           | Custom::BuildRun                 | "
    "Run/Resource/Default (Run73) Error: the model has sha256 a, pinned is b. [log group /g, stream s]"
)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (FAILED, "semif-local-build: CREATE_FAILED Custom::BuildRun Run/Resource/Default"),
        (
            "s | 1/2 | 9:20:45 PM | CREATE_COMPLETE | AWS::SageMaker::Endpoint | E/Endpoint (E1)",
            "s: CREATE_COMPLETE AWS::SageMaker::Endpoint E/Endpoint",
        ),
        ("s | 1/2 | 9:20:45 PM | CREATE_COMPLETE | AWS::IAM::Role | R (R1)", ""),
        ("s | 1/2 | 9:20:45 PM | CREATE_IN_PROGRESS | Custom::BuildRun | R (R1)", ""),
        (" ✅  semif-local-chat", " ✅  semif-local-chat"),
        ("Outputs:", ""),
    ],
)  # fmt: skip -- one case a line
def test_only_what_tells_the_story_is_shown(line: str, text: str) -> None:
    """Of the command line's many lines, custom resources, endpoints, failures and outcomes are shown."""
    assert text == shown(line)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (f"first\n{FAILED}\nlast", "the model has sha256 a, pinned is b."),
        ("first\nlast\n\n", "last"),
        ("", "it printed nothing"),
    ],
)
def test_reason_is_the_sentence_of_the_resource_that_failed(output: str, said: str) -> None:
    """The reason of a failed command is its failed resource's own sentence, else the last thing it said."""
    assert said == reason(Outcome(1, output))


def test_wrong_checksum_changes_nothing_else(tmp_path: Path) -> None:
    """The copied environments are valid and differ from the real ones in one checksum."""
    folder, right, wrong = wrong_checksum(tmp_path / "environments")

    assert re.fullmatch("[0-9a-f]{64}", wrong)
    assert (right, wrong) == (load("local").model.sha256, load("local", folder).model.sha256)
    assert load("local").chat == load("local", folder).chat
    assert load("dev") == load("dev", folder)
