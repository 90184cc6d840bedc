"""A deployment whose image was scanned: what was found is shown, or stops it and takes it back."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from local_aws import scan_findings
from local_aws.deployment import Deployment
from local_aws.session import LocalAws
from tests.local_aws.story import Story

pytestmark = [pytest.mark.local_aws, pytest.mark.slow, pytest.mark.timeout(900)]

# More than one page of ECR's answer, so that the worst one is not on the first.
FINDINGS = [
    *({"name": f"CVE-2026-{number:05}", "severity": "LOW", "uri": "https://cve.invalid"} for number in range(1100)),
    {"name": "CVE-2026-99999", "severity": "HIGH", "uri": "https://cve.invalid"},
]
REPORT = r'scan = "report"'


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """An embedded AWS with the environment `local` deployed, which reports what a scan found."""
    with LocalAws(name="scanned") as aws:
        deployment = Deployment(aws.address)
        deployment.synthesize()
        deployment.bootstrap()
        told = Story(deployment, tmp_path_factory.mktemp("scanned"))
        told.become(told.text)
        yield told


def _outputs(story: Story) -> dict[str, str]:
    (stack,) = story.address.client("cloudformation").describe_stacks(StackName="semif-local-decision")["Stacks"]
    return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}


def _blocking(story: Story, severity: str) -> str:
    return story.edited((REPORT, f'scan = "block"\nblock_at_severity = "{severity}"'))


def _found(story: Story, status: str = "COMPLETE") -> str:
    """Let the scan of the deployed decision image have found FINDINGS and return the image's digest."""
    digest = _outputs(story)["ImageUri"].partition("@")[2]
    scan_findings.put(Path(story.address.emulator.folder), digest, status, FINDINGS)
    return digest


def _refused(story: Story, severity: str) -> str:
    """Deploy with findings blocking, see it fail and go back, and return what was said."""
    before, answers = story.processes(), story.ask().comparable()

    outcome = story.attempt(_blocking(story, severity), "decision")

    assert outcome.code != 0
    assert story.status("decision") == "UPDATE_ROLLBACK_COMPLETE"
    assert story.processes() == before
    assert story.ask().comparable() == answers
    return re.sub(r"\s+", " ", outcome.output)


def test_image_without_a_result_is_no_pass_where_findings_block(story: Story) -> None:
    """ECR cannot look into the stand-in, which a report shows and a gate refuses."""
    digest = _outputs(story)["ImageUri"].partition("@")[2]
    assert _outputs(story)["ImageScan"].startswith("no result: UNSUPPORTED_IMAGE")

    said = _refused(story, "critical")

    assert f"{digest} has no result: UNSUPPORTED_IMAGE" in said
    assert "Where findings block, that is no pass." in said


@pytest.mark.rule(
    "a deployment whose image has findings that block fails with severity and digest, and rolls back",
    tool="the gate's handler itself, CDK command line",
    emulated="ECR's findings, put there by the test; CloudFormation's rollback",
)
def test_findings_that_block_fail_the_deployment(story: Story) -> None:
    """The sentence names image, counts, severity and finding; the process of before answers as before."""
    digest = _found(story)

    said = _refused(story, "high")

    assert f"@{digest} found 1 HIGH, 1100 LOW; blocked is HIGH and above: CVE-2026-99999." in said


def test_findings_below_the_severity_are_deployed(story: Story) -> None:
    """The gate lets the image through and the output says what there is."""
    _found(story)

    story.become(_blocking(story, "critical"), "decision")

    assert _outputs(story)["ImageScan"] == "COMPLETE: 1 HIGH, 1100 LOW"


def test_findings_that_are_only_reported_are_deployed(story: Story) -> None:
    """The same findings stop nothing where the setting is to report."""
    _found(story)

    story.become(re.sub(r'scan = "block"\nblock_at_severity = "\w+"', REPORT, story.text), "decision")

    assert _outputs(story)["ImageScan"] == "COMPLETE: 1 HIGH, 1100 LOW"
    assert story.ask().decision["choice"]
