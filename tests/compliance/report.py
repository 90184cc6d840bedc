"""What cdk-nag found, and what was acknowledged, in every environment's synthesis."""

import contextlib
import functools
import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import aws_cdk as cdk
from cdk_nag import NIST80053R5Checks

from app import build
from tests.template.synthesis import DIRECTORY, ENVIRONMENTS, STACKS, assembly

PACK = "NIST.800.53.R5"
_ACKNOWLEDGED = "aws:cdk:acknowledged-rules"


@dataclass(frozen=True, order=True)
class Finding:
    """One rule at one construct; path and subject are without the environment's name."""

    rule: str
    path: str
    subject: str = ""
    reason: str = ""
    description: str = ""


def acknowledged(environment: str) -> Iterator[Finding]:
    """Return the findings of the gate that the code acknowledges, each with its reason."""
    for stack in STACKS:
        path = assembly(environment) / f"semif-{environment}-{stack}.metadata.json"
        if not path.exists():
            continue
        for construct, entries in json.loads(path.read_text("utf-8")).items():
            for entry in entries:
                for finding, reason in entry["data"].items() if entry["type"] == _ACKNOWLEDGED else ():
                    rule, _, subject = finding.removeprefix("Annotation::").partition("[")
                    yield Finding(rule, _general(construct, environment), _general(subject[:-1], environment), reason)


@functools.cache
def nist(environment: str) -> frozenset[Finding]:
    """Synthesize with the NIST rules beside the gate and return what they find."""
    with tempfile.TemporaryDirectory(prefix="semif-compliance-") as folder:
        app = build(environment, directory=DIRECTORY, outdir=folder, validate_templates=False)
        cdk.Validations.of(app).add_plugins(NIST80053R5Checks(app))
        with contextlib.suppress(RuntimeError):  # how any finding ends a synthesis; the report is written before
            app.synth()
        reports = json.loads((Path(folder) / "validation-report.json").read_text("utf-8"))["pluginReports"]
    if [report["pluginName"] for report in reports] != [PACK]:
        raise ValueError(f"{environment}: other reports than that of {PACK}: is the gate itself broken?")
    return frozenset(
        Finding(
            violation["ruleName"].removeprefix(f"{PACK}-"),
            _general(construct["constructPath"], environment),
            description=violation["description"],
        )
        for violation in reports[0]["violations"]
        for construct in violation["violatingConstructs"]
    )


def by_environments(findings: dict[str, set[Finding]]) -> dict[Finding, str]:
    """Return each finding with the environments it is found in."""
    everything = sorted(set().union(*findings.values()))
    where = {each: [name for name in ENVIRONMENTS if each in findings[name]] for each in everything}
    return {each: "all" if len(names) == len(ENVIRONMENTS) else ", ".join(names) for each, names in where.items()}


def _general(text: str, environment: str) -> str:
    """Leave out what only names the environment or its target."""
    text = re.sub(rf"^/?semif-{environment}-", "", text)
    text = text.replace(f"semif-{environment}-", "semif-*-")
    return re.sub(r"\b\d{12}\b", "<AWS::AccountId>", text)
