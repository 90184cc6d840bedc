"""Start the CodeBuild build of content that is not there yet, and wait for this build and no other.

`on_event` and `is_complete` belong to the custom resource behind BuildRun. Content is named by what it is made of, so
content that is there needs no build; a build counts only when it succeeded and its content can be seen.
"""

import hashlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import boto3
from botocore.exceptions import ClientError

from build_outcome import ReportStore, failure_sentence
from lifecycle import BUCKET, Answer, RefusedError, answer, refusal, text_properties
from propagation import PAUSES_SECONDS, until_allowed
from published_content import Content, Objects, Registry

PROPERTIES = {
    "ProjectName": re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{1,254}"),
    "ContentKind": re.compile(r"s3|ecr"),
    "ContentLocation": re.compile(r"[a-z0-9][a-z0-9._/-]{1,254}"),
    "ContentName": re.compile(r"[!-~]{1,400}"),
    "ReportBucket": BUCKET,
    "HandlerVersion": re.compile(r"[!-~]{1,128}"),
}


class Builds(Protocol):
    """The CodeBuild calls made here."""

    def start_build(self, *, projectName: str, idempotencyToken: str) -> Mapping[str, Any]:  # noqa: N803 - CodeBuild's own spelling
        """Start a build."""

    def batch_get_builds(self, *, ids: Sequence[str]) -> Mapping[str, Any]:
        """Return what is known of builds."""


class Store(ReportStore, Objects, Protocol):
    """The S3 calls made here."""


@dataclass(frozen=True)
class Clients:
    """What this handler talks to; `sleep` waits between attempts."""

    builds: Builds
    store: Store
    registry: Registry
    sleep: Callable[[float], None] = time.sleep


def start(event: Mapping[str, object], make: Callable[[], Clients]) -> Answer:
    """Start a build unless the content is there; the answer's BuildId reaches `is_complete` with the event.

    Raises:
        RefusedError: A property is malformed.
    """
    given = text_properties(event, PROPERTIES)
    clients = make()
    content = _content(given)
    try:
        there = until_allowed(lambda: content.is_there(clients.store, clients.registry), clients.sleep)
    except ClientError as error:
        if error.response["Error"]["Code"] != "403":
            raise
        # The answer to HeadObject has no body that could say what is missing.
        where = f"s3://{content.location}/{content.name}"
        raise RefusedError(f"{where} cannot be looked for: s3:GetObject, or s3:ListBucket, is denied.") from error
    if there:
        return _started("", given)
    # The same request delivered twice gets the same build; another deployment gets its own.
    token = hashlib.sha256("\n".join([*given.values(), str(event.get("RequestId"))]).encode()).hexdigest()
    build = clients.builds.start_build(projectName=given["ProjectName"], idempotencyToken=token)["build"]
    return _started(build["id"], given)


def _content(given: Mapping[str, str]) -> Content:
    return Content(given["ContentKind"], given["ContentLocation"], given["ContentName"])


def _started(build_id: str, given: Mapping[str, str]) -> Answer:
    return {"BuildId": build_id, "Data": {"BuildId": build_id, "ContentName": given["ContentName"]}}


def finished(event: Mapping[str, object], make: Callable[[], Clients]) -> bool:
    """Tell whether the build that `start` started has published its content; False while it runs.

    Raises:
        RefusedError: It ended in any other way, or its content is not there.
    """
    given = text_properties(event, PROPERTIES)
    build_id, clients = event.get("BuildId"), make()
    if not isinstance(build_id, str):
        raise RefusedError("BuildId: the event does not say which build to wait for")
    if build_id:
        build = _build(clients, build_id)
        if build["buildStatus"] == "IN_PROGRESS":
            return False
        if build["buildStatus"] != "SUCCEEDED":
            raise RefusedError(failure_sentence(build, clients.store, given["ReportBucket"]))
    content = _content(given)
    for pause in (*PAUSES_SECONDS, 0):
        if content.is_there(clients.store, clients.registry):
            return True
        clients.sleep(pause)
    raise RefusedError(f"Build {build_id or '(none)'} is done, but {content.name} is not in {content.location}.")


def _build(clients: Clients, build_id: str) -> Mapping[str, Any]:
    for pause in (*PAUSES_SECONDS, 0):
        if builds := clients.builds.batch_get_builds(ids=[build_id])["builds"]:
            build: Mapping[str, Any] = builds[0]
            return build
        clients.sleep(pause)
    raise RefusedError(f"Build {build_id}: CodeBuild does not know it.")


@cache
def _clients() -> Clients:
    return Clients(boto3.client("codebuild"), boto3.client("s3"), boto3.client("ecr"))


def on_event(event: Mapping[str, object], _context: object, clients: Callable[[], Clients] = _clients) -> Answer:
    """Answer the provider framework's first call; `clients` makes the clients when they are needed."""
    return answer(event, lambda: start(event, clients))


def is_complete(event: Mapping[str, object], _context: object, clients: Callable[[], Clients] = _clients) -> Answer:
    """Answer the provider framework's repeated question; a deleted resource is complete at once."""
    if event.get("RequestType") == "Delete":
        return {"IsComplete": True}
    try:
        return {"IsComplete": finished(event, clients)}
    except Exception as error:
        raise refusal(error) from error
