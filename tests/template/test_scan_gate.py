"""The gate stands between the image and the endpoint, where the settings ask for it."""

from pathlib import Path

import pytest

from tests.template.synthesis import Template, flat, read, synthesize, template
from tests.unit.config.environment_files import changed

GATE = "Custom::ImageScanGate"
REPORT = 'scan = "report"'


def _decision(folder: Path, scan: str) -> Template:
    folder.mkdir()
    changed(folder, "dev", (REPORT, scan))
    return read(synthesize("dev", folder / "out", folder), "dev", "decision")


@pytest.mark.parametrize(("environment", "severity"), [("prod", "CRITICAL"), ("dev", "NEVER"), ("local", "NEVER")])
def test_gate_looks_at_the_digest_that_the_endpoint_runs(environment: str, severity: str) -> None:
    """Not at the tag, and in the repository that the image was found in."""
    content = template(environment, "decision")
    _, gate = content.only(GATE)
    image, pinned = content.only("Custom::PinnedImage")

    assert gate["Digest"] == {"Fn::GetAtt": [image, "Digest"]}
    assert (gate["RepositoryName"], gate["RegistryId"]) == (pinned["RepositoryName"], pinned["RegistryId"])
    assert gate["BlockAtSeverity"] == severity


@pytest.mark.rule("nothing that runs an image exists before its scan was looked at", tool="CDK", emulated="")
@pytest.mark.parametrize("environment", ["dev", "local", "prod"])
def test_model_waits_for_the_gate(environment: str) -> None:
    """A refused image is in no model, configuration or endpoint."""
    content = template(environment, "decision")
    gate, _ = content.only(GATE)

    for kind in ("AWS::SageMaker::Model", "AWS::SageMaker::EndpointConfig", "AWS::SageMaker::Endpoint"):
        ((_, resource),) = content.of_type(kind).items()
        assert gate in resource["DependsOn"]


def test_gate_may_read_findings_of_one_repository() -> None:
    """It starts no scan, and looks into no other repository."""
    content = template("prod", "decision")
    _, function = content.named("ImageScanGateProviderOnEvent", "AWS::Lambda::Function")
    statements = content.statements(function["Role"]["Fn::GetAtt"][0])
    (reading,) = [each for each in statements if each["Action"] == "ecr:DescribeImageScanFindings"]

    assert flat(reading["Resource"]).endswith(":repository/<semif-prod-artifact-RepositoryName>")


def test_gate_is_absent_where_it_is_off(tmp_path: Path) -> None:
    """Nothing is asked and nothing is said about a scan."""
    content = _decision(tmp_path / "off", 'scan = "off"')

    assert content.of_type(GATE) == {}
    assert "ImageScan" not in content.content["Outputs"]
    assert "DescribeImageScanFindings" not in str(content.content)


def test_changed_severity_is_judged_by_a_new_resource(tmp_path: Path) -> None:
    """As with every verification, a rollback is then a delete, which does nothing."""
    high = _decision(tmp_path / "high", 'scan = "block"\nblock_at_severity = "high"')
    low = _decision(tmp_path / "low", 'scan = "block"\nblock_at_severity = "low"')

    assert high.only(GATE)[0] != low.only(GATE)[0]
    assert high.only("Custom::PinnedImage")[0] == low.only("Custom::PinnedImage")[0]


def test_repository_scans_what_is_pushed() -> None:
    """Without it there would be nothing to look at."""
    _, repository = template("prod", "artifact").only("AWS::ECR::Repository")

    assert repository["ImageScanningConfiguration"] == {"ScanOnPush": True}
