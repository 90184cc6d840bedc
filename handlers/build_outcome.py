"""Say in one sentence why a CodeBuild build failed, and where its log is."""

import json
from collections.abc import Mapping
from typing import Any, Protocol

from lifecycle import bounded

REPORT_BYTES = 1 << 14
SENTENCE_BYTES = 900
LOCATION_BYTES = 500


class ReportStore(Protocol):
    """The S3 call that reads a build's report."""

    def get_object(self, *, Bucket: str, Key: str) -> Mapping[str, Any]:  # noqa: N803 - S3's own spelling
        """Open an object."""


def report_key(build_id: str) -> str:
    """Return where a build leaves its report; build ids look like `project:uuid`."""
    return f"reports/{build_id.replace(':', '/')}.json"


def failure_sentence(build: Mapping[str, Any], reports: ReportStore, bucket: str) -> str:
    """Return why a build failed, in at most 1500 bytes of JSON: its own sentence, else what CodeBuild knows."""
    said = _reported(reports, bucket, str(build["id"])) or _phase_context(build) or "It left no report."
    return f"Build {build['id']} {build['buildStatus']}: {bounded(said, SENTENCE_BYTES)} {log_location(build)}"


def _reported(reports: ReportStore, bucket: str, build_id: str) -> str | None:
    try:
        report = json.loads(reports.get_object(Bucket=bucket, Key=report_key(build_id))["Body"].read(REPORT_BYTES))
    except Exception:  # noqa: BLE001 - the report explains a failure; without it the failure stands
        return None
    message = report.get("message") if isinstance(report, dict) and report.get("status") == "failed" else None
    return " ".join(message.split()) if isinstance(message, str) else None


def _phase_context(build: Mapping[str, Any]) -> str | None:
    for phase in build.get("phases", []):
        if phase.get("phaseStatus", "SUCCEEDED") != "SUCCEEDED":
            told = [
                f"{context.get('statusCode', '')} {context.get('message', '')}" for context in phase.get("contexts", [])
            ]
            return " ".join(f"phase {phase.get('phaseType')} {phase['phaseStatus']} {' '.join(told)}".split()) + "."
    return None


def log_location(build: Mapping[str, Any]) -> str:
    """Return where the build's log can be read."""
    logs = build.get("logs", {})
    if logs.get("groupName") and logs.get("streamName"):
        where = f"log group {logs['groupName']}, stream {logs['streamName']}"
    else:
        where = logs.get("deepLink") or "CodeBuild console, no log was written"
    return f"[{bounded(where, LOCATION_BYTES)}]"
