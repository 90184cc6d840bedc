"""What a build is given: its source, its variables, and the credentials of the project's service role."""

import contextlib
import io
import os
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import boto3

from local_aws.checkout import REGION

# What a build inherits of the machine's ways to the package index.
_PASSED: Final = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "AWS_CA_BUNDLE")


class SourceError(RuntimeError):
    """The project's source is of a kind that is not carried out here, or not a zip."""


def open_log(session: boto3.Session, build: Mapping[str, Any]) -> None:
    """Write the first line of the build's log as CodeBuild does, which starts no build that it cannot log.

    Raises:
        botocore.exceptions.ClientError: the service role may not write the log.
    """
    logs = session.client("logs")
    log = {"logGroupName": build["logs"]["groupName"], "logStreamName": build["logs"]["streamName"]}
    with contextlib.suppress(logs.exceptions.ResourceAlreadyExistsException):
        logs.create_log_stream(**log)
    line = {"timestamp": int(build["startTime"] * 1000), "message": "[Container] Waiting for agent ping"}
    logs.put_log_events(**log, logEvents=[line])


def fetch_source(session: boto3.Session, source: Mapping[str, Any], folder: Path) -> str:
    """Unpack the project's source into the folder and return its buildspec.

    Raises:
        SourceError: another type than S3 or NO_SOURCE, or not a zip.
        botocore.exceptions.ClientError: the service role may not read it.
    """
    if source["type"] == "S3":
        bucket, _, key = source["location"].partition("/")
        content = session.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read()
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                archive.extractall(folder)
        except zipfile.BadZipFile as error:
            raise SourceError(f"source {source['location']} is not a zip") from error
    elif source["type"] != "NO_SOURCE":
        raise SourceError(f"source type {source['type']} is not carried out here")
    spec = source.get("buildspec") or "buildspec.yml"
    if "\n" in spec:
        return str(spec)
    if not (folder / spec).is_file():
        raise SourceError(f"the source has no {spec}")
    return (folder / spec).read_text("utf-8")


def variables(project: Mapping[str, Any]) -> dict[str, str]:
    """Return the project's environment variables.

    Raises:
        SourceError: a variable comes from Parameter Store or Secrets Manager.
    """
    found = {}
    for variable in project.get("environment", {}).get("environmentVariables") or []:
        if variable.get("type", "PLAINTEXT") != "PLAINTEXT":
            raise SourceError(f"variable {variable['name']} is {variable['type']}; only PLAINTEXT is carried out here")
        found[variable["name"]] = variable["value"]
    return found


def platform_variables(session: boto3.Session, build: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Return what CodeBuild itself sets: who the build is, where it runs, and whose permissions it has.

    The addresses and the certificate of the embedded AWS stand in for the network a real build has.
    """
    credentials = session.get_credentials()
    assert credentials
    passed = {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name in _PASSED}
    # The interpreter that virtual environments are made of, not the emulator's own with all that is installed there.
    python = Path(sys.base_prefix) / "bin"
    return {
        "PIP_CACHE_DIR": str(Path.home() / ".cache" / "pip"),
        **passed,
        "PATH": f"{python}:{os.defpath}",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": credentials.access_key,
        "AWS_SECRET_ACCESS_KEY": credentials.secret_key,
        "AWS_SESSION_TOKEN": credentials.token or "",
        "AWS_ENDPOINT_URL": os.environ["AWS_ENDPOINT_URL"],
        "CODEBUILD_BUILD_ID": build["id"],
        "CODEBUILD_BUILD_ARN": build["arn"],
        "CODEBUILD_BUILD_NUMBER": str(build["buildNumber"]),
        "CODEBUILD_INITIATOR": build["initiator"],
        "CODEBUILD_SRC_DIR": str(folder / "source"),
        "CODEBUILD_LOG_PATH": build["logs"]["streamName"],
        "CODEBUILD_KMS_KEY_ID": build["encryptionKey"],
        "CODEBUILD_START_TIME": str(int(build["startTime"] * 1000)),
    }


def runtime_note(runtimes: Mapping[str, str]) -> str:
    """Say which runtime stands in for the ones the buildspec asks for."""
    asked = ", ".join(f"{name} {version}" for name, version in runtimes.items())
    return f"runtime-versions asks for {asked}; here it is Python {sys.version_info.major}.{sys.version_info.minor}"
