"""What `DecisionClient(on_decision=…)` is given so that every decision leaves a record."""

import logging
from collections.abc import Callable
from threading import Lock
from typing import Any, Final
from uuid import uuid4

from decision_client.audit.hashed_request import NoJsonError, RequestHasher
from decision_client.audit.keyed_hash import KeyedHash, KeyUseError
from decision_client.audit.record import DecisionRecord, Failure, FailureRecord, Hashes, PolicyReference, Scores
from decision_client.audit.sink import Sink, SinkError
from decision_client.decided import Decided
from decision_client.request import Asked

_LOG: Final = logging.getLogger("decision_client.audit")


class AuditError(RuntimeError):
    """A decision is known and not recorded as it should be.

    Attributes:
        decided: What became of the decision, with its answer and outcome, or with the error that it ended in.
    """

    def __init__(self, message: str, decided: Decided) -> None:
        super().__init__(message)
        self.decided = decided


class Audit:
    """Writes a record of each decision before its caller hears of it; may be used from several threads."""

    def __init__(
        self,
        sink: Sink,
        key: KeyedHash,
        *,
        required: bool = True,
        hash_caller_ids: bool = False,
        new_id: Callable[[], str] = lambda: uuid4().hex,
    ) -> None:
        """Write nothing yet.

        Args:
            sink: Where records go.
            key: What state, question and options are hashed with.
            required: Whether a decision that cannot be recorded is refused its caller. Otherwise it is logged as an
                error (logger `decision_client.audit`) and counted in `unrecorded`.
            hash_caller_ids: Whether the caller's id may say something about a person, and is hashed too.
            new_id: An id that no other record has.
        """
        self._sink, self._hasher = sink, RequestHasher(key)
        self._required, self._hash_caller_ids, self._new_id = required, hash_caller_ids, new_id
        self.unrecorded = 0
        self._lock = Lock()

    def __call__(self, decided: Decided) -> None:
        """Record a decision.

        Raises:
            AuditError: It is not recorded, or without hashes because the key cannot be used.
        """
        problem = self._recorded(decided)
        if problem and self._required:
            raise AuditError(f"a decision is known and {problem}", decided)
        if problem:
            with self._lock:
                self.unrecorded += 1
            _LOG.error("a decision is %s", problem)

    def _recorded(self, decided: Decided) -> str:
        """Record a decision and say what went wrong, if something did: `not recorded: …`."""
        hashes, caller_id, problem = None, _written(decided.asked.id), ""
        try:
            hashes, caller_id = self._hashed(decided.asked)
        except KeyUseError as error:
            if self._hash_caller_ids:
                return f"not recorded: {error}"  # the caller's id may not be written as it is
            problem = f"recorded without hashes: {error}"
        try:
            self._sink.append([self._record(decided, hashes, caller_id)])
        except SinkError as error:
            return f"not recorded: {error}"
        return problem

    def _hashed(self, asked: Asked) -> tuple[Hashes | None, str]:
        """Return the hashes, None where the state is no JSON, for which it was refused; and the id as it is written."""
        parts = asked.state, asked.definition.question, asked.definition.options
        hidden = self._hash_caller_ids and isinstance(asked.id, str)
        try:
            if hidden:
                return self._hasher.hashes_with_id(asked.id, *parts)
            return self._hasher.hashes(*parts), _written(asked.id)
        except NoJsonError:
            return None, self._hasher.caller_id(asked.id) if hidden else _written(asked.id)

    def _record(self, decided: Decided, hashes: Hashes | None, caller_id: str) -> DecisionRecord | FailureRecord:
        definition, decision, error = decided.asked.definition, decided.decision, decided.error
        common: dict[str, Any] = {
            "id": self._new_id(),
            "time": decided.at,
            "caller_id": caller_id,
            "caller_id_hashed": self._hash_caller_ids,
            "definition": definition.reference,
            "type": definition.type,
            "option_ids": definition.option_ids,
            "abstain_option": definition.abstain_option,
            "hashes": hashes,
            "policy": PolicyReference.of(decision.policy) if decision and decision.policy else None,
            "seconds": decided.seconds,
            "waited_seconds": decided.waited_seconds,
            "attempts": decided.attempts,
            "refusals": decided.refusals,
            "shared": decided.shared,
        }
        if decision is None:
            assert error, "what was not answered has failed"
            failed = Failure(error=type(error).__name__, status=error.status, code=error.code)
            return FailureRecord(**common, failure=failed)
        answer = decision.answer
        return DecisionRecord(**common, identity=answer.model, scores=Scores.of(answer), outcome=decision.outcome)


def _written(given: object) -> str:
    """Return a caller's id as text; the client has refused what is none."""
    return given.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(given, str) else ""
