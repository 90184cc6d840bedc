"""The known question of each kind of endpoint: asked once, within bounds; neither it nor the answer is logged."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from botocore.exceptions import ClientError

import chat_answer
import decision_answer
from chat_answer import chat_description, chat_differences
from decision_answer import decision_description, decision_differences
from lifecycle import RefusedError, bounded
from patience import Patience, until_ready
from propagation import until_allowed

ANSWER_BYTES: Final = 1 << 20
MESSAGE_BYTES: Final = 600


class Runtime(Protocol):
    """The SageMaker runtime call made here."""

    def invoke_endpoint(self, *, EndpointName: str, ContentType: str, Body: bytes) -> Mapping[str, Any]:  # noqa: N803 - SageMaker's own spelling
        """Ask an endpoint."""


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


def ask(
    runtime: Runtime, name: str, question: Mapping[str, Any], patience: Patience, sleep: Callable[[float], None]
) -> Any:  # noqa: ANN401 - any JSON
    """Return the JSON that an endpoint answers, asked again for as long as it starts and there is patience.

    Raises:
        RefusedError: It does not answer, or with something that is no JSON or is longer than ANSWER_BYTES.
    """
    body = json.dumps(question).encode()

    def invoke() -> Mapping[str, Any]:
        return runtime.invoke_endpoint(EndpointName=name, ContentType="application/json", Body=body)

    try:
        response = until_allowed(lambda: until_ready(invoke, patience), sleep)
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
