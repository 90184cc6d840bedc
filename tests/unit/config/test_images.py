"""What the scan of an image decides is said in full, or refused."""

from pathlib import Path

import pytest

from config.loader import load
from tests.unit.config.environment_files import changed, refusal

REPORT = 'scan = "report"'


@pytest.mark.parametrize("severity", ["critical", "high", "medium", "low", "informational"])
def test_blocking_names_the_severity_it_begins_at(tmp_path: Path, severity: str) -> None:
    """Each of ECR's severities can be the first that blocks."""
    block = f'scan = "block"\nblock_at_severity = "{severity}"'

    assert load("dev", changed(tmp_path, "dev", (REPORT, block))).images.block_at_severity == severity


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('scan = "block"', "images.block_at_severity: is required where scan is block"),
        (f'{REPORT}\nblock_at_severity = "high"', "images.block_at_severity: must be absent: scan is report"),
        ('scan = "off"\nblock_at_severity = "high"', "images.block_at_severity: must be absent: scan is off"),
        ('scan = "block"\nblock_at_severity = "HIGH"', "images.block_at_severity: input should be 'critical', 'high'"),
        ("scan = false", "images.scan: input should be 'off', 'report' or 'block'"),
        ("", "images.scan: is required and missing"),
    ],
)
def test_a_gate_that_is_half_set_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    """Nobody should believe that findings block where they do not."""
    assert sentence in refusal(tmp_path, "dev", (REPORT, text))
