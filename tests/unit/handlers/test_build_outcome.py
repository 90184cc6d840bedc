"""A build that did not succeed is told in one sentence: its own, else CodeBuild's, and where its log is."""

import json

import pytest

from build_outcome import failure_sentence
from tests.unit.handlers.fake_aws import BUILD, CONTENT, REPORT, FakeAws, build, failure_of


def test_a_failed_build_fails_with_the_sentence_it_left_and_the_place_of_its_log() -> None:
    """The operator reads what the build found, not that a command returned 1."""
    told = "hub/tiny.gguf has sha256 aa, pinned is sha256 bb."
    report = json.dumps({"status": "failed", "message": told}).encode()

    sentence = failure_of(FakeAws(builds=[build("FAILED")], reports={REPORT: report}))

    assert sentence == f"Build {BUILD} FAILED: {told} [log group /semif/build, stream 7f3c1b52]"


PHASES = [
    {"phaseType": "INSTALL", "phaseStatus": "SUCCEEDED", "contexts": [{"statusCode": "", "message": ""}]},
    {
        "phaseType": "BUILD",
        "phaseStatus": "FAILED",
        "contexts": [{"statusCode": "COMMAND_EXECUTION_ERROR", "message": "bash package.sh: exit status 1"}],
    },
    {"phaseType": "COMPLETED"},
]


@pytest.mark.parametrize(
    "report",
    [
        None,
        b"",
        b"\xff",
        b"[1]",
        b'{"status": "succeeded", "message": "all is well"}',
        b'{"status": "failed", "message": 7}',
        b'{"status": "failed"}',
    ],
)
def test_without_a_usable_report_the_failing_phase_speaks(report: bytes | None) -> None:
    """What CodeBuild knows is the second-best sentence."""
    reports = {} if report is None else {REPORT: report}

    sentence = failure_of(FakeAws(builds=[build("FAILED", phases=PHASES)], reports=reports))

    assert "phase BUILD FAILED COMMAND_EXECUTION_ERROR bash package.sh: exit status 1." in sentence


@pytest.mark.parametrize("status", ["FAILED", "FAULT", "TIMED_OUT", "STOPPED", "SOMETHING_NEW"])
def test_anything_but_success_is_a_failure(status: str) -> None:
    """Even when the content is there meanwhile, and with nothing to explain it."""
    aws = FakeAws({CONTENT["s3"]}, builds=[{"id": BUILD, "buildStatus": status}])

    assert f"Build {BUILD} {status}: It left no report." in failure_of(aws)


def test_a_log_without_a_group_is_named_by_its_link() -> None:
    """Where CodeBuild knows only a link, the link is given."""
    assert "[https://console/log]" in failure_of(
        FakeAws(builds=[build("FAILED", logs={"deepLink": "https://console/log"})])
    )


@pytest.mark.parametrize(
    "aws",
    [
        FakeAws(
            builds=[build("FAILED")],
            reports={REPORT: json.dumps({"status": "failed", "message": "\N{CLOUD}" * 999}).encode()},
        ),
        FakeAws(
            builds=[
                build(
                    "FAILED",
                    phases=[{"phaseType": "BUILD", "phaseStatus": "FAILED", "contexts": [{"message": "\x00" * 9999}]}],
                )
            ]
        ),
        FakeAws(builds=[build("FAILED", logs={"deepLink": "https://" + "\N{CLOUD}" * 999})]),
    ],
)
def test_a_long_failure_still_says_where_the_log_is(aws: FakeAws) -> None:
    """The response fits, and the log's place is never what is cut away."""
    assert failure_of(aws).endswith("]")


def test_a_sentence_and_a_place_both_too_long_are_both_kept_in_part() -> None:
    """Neither crowds the other out: the beginning of each is there."""
    report = json.dumps({"status": "failed", "message": "why " + "x" * 9000}).encode()
    aws = FakeAws(builds=[build("FAILED", logs={"deepLink": "https://log/" + "y" * 9000})], reports={REPORT: report})

    sentence = failure_of(aws)

    assert sentence.count("x") > 500
    assert sentence.count("y") > 400
    assert len(json.dumps(failure_sentence(aws.builds[0], aws, "artifacts"))) <= 1500


def test_an_endless_report_is_not_read_to_its_end() -> None:
    """A report is some hundred bytes; of a larger one no more than 16 KiB are taken, and it is not believed."""
    report = json.dumps({"status": "failed", "message": "x", "more": "y" * (1 << 20)}).encode()
    aws = FakeAws(builds=[build("FAILED", phases=PHASES)], reports={REPORT: report})

    assert "phase BUILD FAILED" in failure_of(aws)
