"""Prove that a deployed endpoint runs what its stack asked for, and that it answers a known question as pinned.

`on_event` belongs to the custom resource behind CheckedEndpoint. It reads three descriptions, invokes the endpoint and
changes nothing. Neither the question nor the answer is logged.
"""

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Protocol

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

import chat_answer
import decision_answer
from chat_answer import chat_description, chat_differences
from decision_answer import decision_description, decision_differences
from lifecycle import Answer, RefusedError, answer, bounded, text_properties
from patience import Patience, until_ready
from propagation import until_allowed
from running_configuration import ControlPlane, Requested, running_differences

_NAME = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?")
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
PROPERTIES = {
    "EndpointName": _NAME,
    "EndpointConfigName": _NAME,
    "EndpointConfig": _OBJECT,
    "Model": _OBJECT,
    "Scaled": re.compile(r"true|false"),
    "Kind": re.compile("decision|chat|unasked"),
    "Answer": _OBJECT,
    "HandlerVersion": re.compile(r"[!-~]{1,128}"),
}
ANSWER_BYTES: Final = 1 << 20
MESSAGE_BYTES: Final = 600
DESCRIPTION_BYTES: Final = 300


@dataclass(frozen=True)
class KnownAnswer:
    """A question, how its answer differs from what is known beforehand, and what else an answer tells."""

    question: Mapping[str, Any]
    differences: Callable[[Mapping[str, Any], object], list[str]]
    description: Callable[[Mapping[str, Any]], str]


KNOWN: Final[Mapping[str, KnownAnswer]] = {
    "decision": KnownAnswer(decision_answer.QUESTION, decision_differences, decision_description),
    "chat": KnownAnswer(chat_answer.QUESTION, chat_differences, chat_description),
}


class Runtime(Protocol):
    """The SageMaker runtime call made here."""

    def invoke_endpoint(self, *, EndpointName: str, ContentType: str, Body: bytes) -> Mapping[str, Any]:  # noqa: N803 - SageMaker's own spelling
        """Ask an endpoint."""


@dataclass(frozen=True)
class Clients:
    """What this handler talks to; `sleep` waits between attempts, `clock` counts seconds."""

    control: ControlPlane
    runtime: Runtime
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


def check(event: Mapping[str, object], make: Callable[[], Clients]) -> Answer:
    """Check the endpoint that the event's properties describe.

    Raises:
        RefusedError: A property is malformed, or the endpoint differs from what they say; every field is named.
    """
    given = text_properties(event, PROPERTIES)
    config, model, wanted = (_object(given, name) for name in ("EndpointConfig", "Model", "Answer"))
    name = given["EndpointName"]
    requested = Requested(name, given["EndpointConfigName"], config, model, scaled=given["Scaled"] == "true")
    clients = make()
    patience = Patience(clients.sleep, clients.clock)
    try:
        found = running_differences(clients.control, requested, patience, clients.sleep)
    except ClientError as error:
        raise RefusedError(f"Endpoint {name} cannot be compared with what was deployed: {error}") from error
    _refuse(name, "does not run what was deployed", found)
    known = KNOWN.get(given["Kind"])
    if known is None:
        return {"Data": {"Serves": "not asked: its container answers no question that is known here"}}
    answered = _ask(clients, name, known.question, patience)
    _refuse(name, "does not answer as pinned", known.differences(wanted, answered))
    return {"Data": {"Serves": bounded(known.description(answered), DESCRIPTION_BYTES)}}


def _object(given: Mapping[str, str], name: str) -> Mapping[str, Any]:
    try:
        value: Mapping[str, Any] = json.loads(given[name])
    except ValueError as error:
        raise RefusedError(f"{name}: is no JSON: {error}") from error
    return value


def _refuse(name: str, what: str, found: list[str]) -> None:
    if found:
        raise RefusedError(f"Endpoint {name} {what}: {'; '.join(found)}.")


def _ask(clients: Clients, name: str, question: Mapping[str, Any], patience: Patience) -> Any:  # noqa: ANN401 - any JSON
    body = json.dumps(question).encode()

    def invoke() -> Mapping[str, Any]:
        return clients.runtime.invoke_endpoint(EndpointName=name, ContentType="application/json", Body=body)

    try:
        response = until_allowed(lambda: until_ready(invoke, patience), clients.sleep)
    except ClientError as error:
        raise RefusedError(f"Endpoint {name} does not answer: {_said(error)}") from error
    read = response["Body"].read(ANSWER_BYTES + 1)
    if len(read) > ANSWER_BYTES:
        raise RefusedError(f"Endpoint {name} does not answer as pinned: answer: more than {ANSWER_BYTES} bytes.")
    try:
        return json.loads(read)
    except ValueError:
        # The text itself stays where it is: nobody knows what it holds.
        raise RefusedError(f"Endpoint {name} does not answer as pinned: answer: {len(read)} bytes, no JSON.") from None


def _said(error: ClientError) -> str:
    response: Mapping[str, Any] = error.response
    if "OriginalMessage" not in response:
        return str(error)
    status, said = response.get("OriginalStatusCode"), bounded(str(response["OriginalMessage"]), MESSAGE_BYTES)
    return f"its container answered {status} to the known question: {said}"


@cache
def _clients() -> Clients:
    control = Config(connect_timeout=5, read_timeout=20, retries={"mode": "standard", "total_max_attempts": 4})
    # InvokeEndpoint is cut at 60 s, and AWS asks for a longer socket timeout; what passes is asked for again here.
    runtime = Config(connect_timeout=5, read_timeout=70, retries={"mode": "standard", "total_max_attempts": 1})
    return Clients(boto3.client("sagemaker", config=control), boto3.client("sagemaker-runtime", config=runtime))


def on_event(event: Mapping[str, object], _context: object, clients: Callable[[], Clients] = _clients) -> Answer:
    """Answer the provider framework; `clients` makes the clients when they are needed, for Delete never."""
    return answer(event, lambda: check(event, clients))
