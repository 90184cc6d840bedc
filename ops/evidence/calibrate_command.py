"""`ops calibrate`: what scores mean, and from which on an application may act; whether a policy still holds."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import TypeAdapter

from decision_client.policy import read_policy
from evidence.calibration.errors import CalibrationError
from ops.evidence.labelled_decisions import read_labelled
from ops.evidence.libraries import evidence_libraries
from ops.options import DATES, OUT, AsJson
from ops.report import print_json, say

if TYPE_CHECKING:
    from evidence.calibration.labelled import Labelled
    from evidence.calibration.plan import Plan

Evidence = Annotated[
    str,
    typer.Argument(
        metavar="EVIDENCE", help="Results of `ops bench`, or an audit trail: a file, or logs: and a log group's name."
    ),
]
Since = Annotated[datetime | None, typer.Option(formats=DATES, help="Of a trail: decisions from this time on, in UTC.")]
Risk = Annotated[float | None, typer.Option(help="The share of wrong answers among those acted upon, at most.")]
ReviewRisk = Annotated[float | None, typer.Option(help="The same among all that a person gets to see; off by default.")]
Confidence = Annotated[float, typer.Option(help="With which the bounds hold, both together.")]
Share = Annotated[float, typer.Option(help="The share of tasks that certify; the others fit.")]
Seed = Annotated[int, typer.Option(help="Of the split.")]
Mass = Annotated[float, typer.Option(help="Allowed-token mass below which nothing is acted upon.")]
Margin = Annotated[float, typer.Option(help="Calibrated margin below which nothing is acted upon.")]
Labels = Annotated[Path | None, typer.Option(help="JSON lines of task and gold, which replace labels.")]
Out = Annotated[Path, typer.Option(help="The folder for policies.")]
PolicyVersion = Annotated[str | None, typer.Option(help="Of the policies; the run's date by default.")]
Replace = Annotated[bool, typer.Option("--replace", help="Overwrite policies that are there.")]
Checked = Annotated[Path | None, typer.Option("--check", help="A policy: say whether its thresholds hold.")]
Unseen = Annotated[bool, typer.Option("--unseen", help="None of the tasks made the policy that is checked.")]


def calibrate(
    evidence: Evidence,
    *,
    target_risk: Risk = None,
    review_risk: ReviewRisk = None,
    confidence: Confidence = 0.95,
    certify_share: Share = 0.7,
    seed: Seed = 0,
    min_mass: Mass = 0.5,
    min_margin: Margin = 0.1,
    labels: Labels = None,
    since: Since = None,
    out: Out = Path("policies"),
    policy_version: PolicyVersion = None,
    replace: Replace = False,
    check: Checked = None,
    unseen: Unseen = False,
    as_json: AsJson = False,
) -> None:
    """Make policies from labelled decisions, or check one. Ends with 1 if a threshold is missing or does not hold."""
    if (target_risk is None) == (check is None):
        raise CalibrationError("give --target-risk to make policies, or --check to check one")
    with evidence_libraries():
        from evidence.calibration.plan import Plan  # noqa: PLC0415 - the other commands do without scipy

        labelled = read_labelled(evidence, labels, since)
    if check is not None:
        raise typer.Exit(_check(check, labelled, unseen=unseen, as_json=as_json))
    assert target_risk is not None
    plan = Plan(target_risk, review_risk, confidence, certify_share, seed, min_mass, min_margin)
    raise typer.Exit(_make(labelled, plan, Files(out, policy_version, replace=replace), as_json=as_json))


@dataclass(frozen=True)
class Files:
    """Where policies are written, and as what version."""

    folder: Path
    version: str | None
    replace: bool


def _make(labelled: "Labelled", plan: "Plan", files: Files, *, as_json: bool) -> int:
    from evidence.calibration.calibrate import calibrate as calibrated  # noqa: PLC0415
    from evidence.calibration.policy_evidence import evidence  # noqa: PLC0415
    from evidence.calibration.policy_file import policy, write  # noqa: PLC0415
    from ops.evidence.calibrate_lines import calibration_lines  # noqa: PLC0415

    made = calibrated(labelled, plan)
    version = files.version or labelled.started[:10]
    policies = [policy(made, group, version) for group in made.groups if group.has_policy]
    written = write(policies, files.folder, replace=files.replace)
    if as_json:
        groups = [{"definition": None, **evidence(made, group)} for group in made.groups if not group.has_policy]
        print_json(
            OUT,
            {
                "policies": [
                    {"file": str(file), **each.model_dump(mode="json")}
                    for file, each in zip(written, policies, strict=True)
                ],
                "without_policy": groups,
            },
        )
    else:
        for line in (*calibration_lines(made), *(f"written: {file}" for file in written)):
            say(OUT, line)
    return int(any(group.act.threshold is None for group in made.groups))


def _check(policy: Path, labelled: "Labelled", *, unseen: bool, as_json: bool) -> int:
    from evidence.calibration.check import Check, check  # noqa: PLC0415
    from ops.evidence.calibrate_lines import check_lines  # noqa: PLC0415

    found = check(read_policy(policy), labelled, unseen=unseen)
    if as_json:
        print_json(OUT, TypeAdapter(Check).dump_python(found, mode="json"))
    else:
        for line in check_lines(found):
            say(OUT, line)
    return int(not found.holds)
