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
from typing import Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from known_question import KNOWN, Runtime, ask
from lifecycle import Answer, RefusedError, answer, bounded, text_properties
from patience import Patience
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
DESCRIPTION_BYTES: Final = 300


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
    answered = ask(clients.runtime, name, known.question, patience, clients.sleep)
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


@cache
def _clients() -> Clients:
    control = Config(connect_timeout=5, read_timeout=20, retries={"mode": "standard", "total_max_attempts": 4})
    # InvokeEndpoint is cut at 60 s, and AWS asks for a longer socket timeout; what passes is asked for again here.
    runtime = Config(connect_timeout=5, read_timeout=70, retries={"mode": "standard", "total_max_attempts": 1})
    return Clients(boto3.client("sagemaker", config=control), boto3.client("sagemaker-runtime", config=runtime))


def on_event(event: Mapping[str, object], _context: object, clients: Callable[[], Clients] = _clients) -> Answer:
    """Answer the provider framework; `clients` makes the clients when they are needed, for Delete never."""
    return answer(event, lambda: check(event, clients))
