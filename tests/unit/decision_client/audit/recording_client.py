"""A client that leaves records: an endpoint, sinks and keys in memory that do as a test says."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Any

from decision_client.audit.keyed_hash import KeyedHash, KeyUseError, Mac
from decision_client.audit.record import AnyRecord
from decision_client.audit.recording import Audit
from decision_client.audit.sink import Sink, SinkError
from decision_client.client import DecisionClient
from decision_client.transport import Reply
from tests.unit.decision_client.audit.records import KEY
from tests.unit.decision_client.samples import answer

CANARY = "CANARY-7f3a"
AT = datetime(2026, 11, 30, 3, 20, tzinfo=UTC)


class Endpoint:
    """A transport that answers every decision of a request as `samples.answer`, or with a status."""

    def __init__(self, status: int = 200, **changed: Any) -> None:
        self._status, self._changed = status, changed

    def send(self, body: bytes, timeout_seconds: float) -> Reply:
        """Answer."""
        assert timeout_seconds > 0
        if self._status != 200:
            return Reply(self._status, json.dumps({"error": CANARY, "code": "busy"}).encode())
        asked = json.loads(body)
        results = [
            answer(**{"id": each["id"], **self._changed}).model_dump(mode="json")
            for each in asked.get("decisions") or [asked["decision"]]
        ]
        return Reply(200, json.dumps({"results": results} if "decisions" in asked else {"result": results[0]}).encode())


class Kept:
    """A sink in memory, which may be full, or so for one caller's id."""

    def __init__(self, *, full: bool = False, refuses: str = "") -> None:
        self.records: list[AnyRecord] = []
        self._full, self._refuses = full, refuses

    def append(self, records: Sequence[AnyRecord]) -> None:
        """Keep records."""
        if self._full or self._refuses in [each.caller_id for each in records]:
            raise SinkError("audit.jsonl: No space left on device")
        self.records += records


class NoKey:
    """A key that may not be used any more after a number of hashes."""

    def __init__(self, after: int = 0) -> None:
        self._left = after

    def mac(self, digest: bytes) -> Mac:
        """Refuse, or make one of the hashes that are left."""
        assert len(digest) == 32
        self._left -= 1
        if self._left < 0:
            raise KeyUseError("alias/audit: GenerateMac: AccessDeniedException")
        return KEY.mac(digest)

    def verifies(self, digest: bytes, mac: Mac) -> bool:
        """Refuse."""
        raise NotImplementedError


def client(endpoint: Endpoint, audit: Audit, **given: Any) -> DecisionClient:
    """A client whose clocks stand still and whose waits are over at once."""
    return DecisionClient(
        endpoint,
        on_decision=audit,
        clock=lambda: 5.0,
        sleep=lambda _: None,
        now=lambda: AT,
        deadline_seconds=3,
        **given,
    )


def audit(sink: Sink, key: KeyedHash = KEY, **given: Any) -> Audit:
    """An audit that counts its records."""
    ids = count(1)
    return Audit(sink, key, new_id=lambda: f"r{next(ids)}", **given)
