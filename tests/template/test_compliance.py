import contextlib
import json
from pathlib import Path

import pytest

from app import build
from constructs_lib import nag
from tests.compliance.document import document, report_rows
from tests.compliance.report import Finding
from tests.template.synthesis import DIRECTORY, STACKS, assembly

DOCUMENT = Path(__file__).parents[2] / "docs" / "compliance.md"
FOUND = {Finding("LambdaDLQ", "build/Run/OnEvent", description="No queue - (Control IDs: CA-7, CA-7, SI-2a)."): "all"}
REASON = {"LambdaDLQ": [{"resources": ["*/Run/*"], "reason": "Nobody reads it."}]}


@pytest.mark.rule(
    "Every acknowledged finding and every NIST 800-53 R5 finding stands in docs/compliance.md with its reason",
    tool="cdk-nag",
    emulated="",
)
def test_document_says_what_the_rules_find() -> None:
    """The table in the repository is the one that today's templates make; `make compliance` writes it again."""
    assert document() == DOCUMENT.read_text("utf-8"), "docs/compliance.md is stale: run `make compliance`"


def test_finding_without_a_reason_is_refused() -> None:
    """A rule or a place that nobody has explained cannot slip into the report."""
    with pytest.raises(ValueError, match=r"no reason for: LambdaDLQ at build/Run/OnEvent"):
        report_rows(FOUND, {"LambdaDLQ": [{"resources": ["chat/*"], "reason": "Nobody reads it."}]})


def test_reason_without_a_finding_is_refused() -> None:
    """What has been mended leaves no excuse behind."""
    with pytest.raises(ValueError, match=r"explains what is not found: Gone"):
        report_rows(FOUND, REASON | {"Gone": [{"resources": ["*"], "reason": "It was so."}]})


def test_row_names_rule_controls_place_and_reason() -> None:
    """Each control is named once."""
    assert report_rows(FOUND, REASON) == [
        "| LambdaDLQ | CA-7, SI-2a | 1 | `build/Run/OnEvent` | Nobody reads it. | all |\n"
    ]


def test_every_acknowledgement_acknowledges_something(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without them the gate finds exactly what they name, at or below their constructs."""
    named = set()
    for stack in STACKS:
        metadata = json.loads((assembly("prod") / f"semif-prod-{stack}.metadata.json").read_text("utf-8"))
        for path, entries in metadata.items():
            for entry in entries:
                if entry["type"] == "aws:cdk:acknowledged-rules":
                    named |= {(path.strip("/"), finding.removeprefix("Annotation::")) for finding in entry["data"]}
    monkeypatch.setattr(nag, "_acknowledge", lambda *_: None)

    app = build("prod", directory=DIRECTORY, outdir=str(tmp_path), validate_templates=False)
    with contextlib.suppress(RuntimeError):
        app.synth()

    (report,) = json.loads((tmp_path / "validation-report.json").read_text("utf-8"))["pluginReports"]
    found = {
        (construct["constructPath"], violation["ruleName"])
        for violation in report["violations"]
        for construct in violation["violatingConstructs"]
    }
    idle = {
        (path, finding)
        for path, finding in named
        if not any(rule == finding and where.startswith(path) for where, rule in found)
    }
    assert not idle
    assert named
