"""One client: sends a request until it is answered, backing off as documented."""

import contextlib
import http.client
import json
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from http import HTTPStatus

from benchmarks.load.cases import Case
from benchmarks.served_model import HOST
from benchmarks.workload import Body
from decision_client.asking import DEADLINE_SECONDS
from decision_client.retries import RetryRules

RULES = RetryRules()


@dataclass(slots=True)
class Outcome:
    """What became of one request.

    Attributes:
        seconds: From the first attempt to the end, waits included.
        attempts: How often it was sent.
        decisions: Decisions in a right answer.
        rejections: Refusals by their code.
        fault: Why the answer was wrong or the request refused for good; None if it was right, or never answered.
    """

    seconds: float = 0.0
    attempts: int = 0
    decisions: int = 0
    rejections: Counter[str] = field(default_factory=Counter)
    fault: str | None = None


class Client:
    """Sends requests one after another; its random waits come from its own seed."""

    def __init__(self, port: int, seed: int, *, rules: RetryRules = RULES, patience: float = DEADLINE_SECONDS) -> None:
        self._port = port
        self._numbers = random.Random(seed)  # noqa: S311 - jitter, not a secret
        self._rules = rules
        self._patience = patience  # seconds after its first attempt that a request is sent again

    def ask(self, case: Case) -> Outcome:
        """Sends one request until it is answered, refused for good, or given up."""
        outcome = Outcome()
        began = time.monotonic()
        while True:
            outcome.attempts += 1
            code, retry_after = self._attempt(case, outcome)
            if code is None:
                break
            outcome.rejections[code] += 1
            chance = self._numbers.random()
            wait = self._rules.wait(retry_after, tries=outcome.attempts, chance=chance)
            if time.monotonic() - began + wait >= self._patience:
                break
            time.sleep(wait)
        outcome.seconds = time.monotonic() - began
        return outcome

    def _attempt(self, case: Case, outcome: Outcome) -> tuple[str | None, float | None]:
        """The code and wait of a refusal to be retried, or (None, None) when the request has come to its end."""
        try:
            status, answer = _post(self._port, case.body)
        except (OSError, http.client.HTTPException) as error:
            return f"connection: {type(error).__name__}", None
        if status == HTTPStatus.SERVICE_UNAVAILABLE and answer.get("retryable") is True:
            return str(answer["code"]), float(answer["retry_after_seconds"])
        if status != HTTPStatus.OK:
            outcome.fault = f"status {status}: {answer.get('code')}: {answer.get('error')}"
        else:
            outcome.fault = case.fault(answer)
            outcome.decisions = 0 if outcome.fault else len(case.expected)
        return None, None


def _post(port: int, body: bytes) -> tuple[int, Body]:
    connection = http.client.HTTPConnection(HOST, port, timeout=70)
    with contextlib.closing(connection):
        connection.request("POST", "/invocations", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer: Body = json.loads(response.read())
        return response.status, answer
