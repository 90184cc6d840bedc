"""What a build leaves beside its log: its outcome where the deployment looks for it, and who it was."""

import json
import platform
import zlib
from collections.abc import Mapping
from typing import Any, Protocol

MESSAGE_CHARACTERS = 1000


class ReportStore(Protocol):
    """The S3 call that writes a report."""

    def put_object(self, *, Bucket: str, Key: str, Body: bytes, ContentType: str) -> Any:  # noqa: ANN401, N803 - S3's own
        """Write an object."""


def report(store: ReportStore, environment: Mapping[str, str], status: str, message: str) -> None:
    """Leave the outcome where the deployment looks for it; an outcome without a place is only printed."""
    print(f"{status}: {message}", flush=True)  # noqa: T201 - the build's log is its output
    bucket, build_id = environment.get("ARTIFACT_BUCKET"), environment.get("CODEBUILD_BUILD_ID")
    if bucket and build_id:
        body = json.dumps({"status": status, "message": message[:MESSAGE_CHARACTERS]}).encode()
        key = f"reports/{build_id.replace(':', '/')}.json"
        store.put_object(Bucket=bucket, Key=key, Body=body, ContentType="application/json")


def builder_of(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return who builds, as the record of a publication names it."""
    return {
        "build": environment.get("CODEBUILD_BUILD_ARN") or environment.get("CODEBUILD_BUILD_ID", ""),
        "initiator": environment.get("CODEBUILD_INITIATOR", ""),
        "python": platform.python_version(),
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
    }
