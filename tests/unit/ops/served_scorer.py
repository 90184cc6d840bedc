"""A scorer whose truth is known, behind a real socket: it is right as often as it says, until it has lost some."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Final

import numpy as np

from decision_client.definition import DecisionDefinition, Option
from decision_client.scores import calibrated
from tests.unit.decision_client.listening import Listening, listening, says
from tests.unit.decision_client.samples import answer

DEFINITION: Final = DecisionDefinition(
    name="known-truth",
    version="1",
    question="Which one is it?",
    options=(
        Option(id="first", description="The first."),
        Option(id="second", description="The second."),
        Option(id="none", description="Neither."),
    ),
    abstain_option="none",
)
GAPS: Final = (6.0, 1.7, 0.3)
"""By how much the best option is above the others, in logits: 0.99, 0.73 and 0.40 of the probability."""


@dataclass
class KnownScorer:
    """All of a case follows from its number; where no option has more than `lost_below`, nothing is known of it."""

    lost_below: float = 0.0

    def logits(self, case: int) -> list[float]:
        """The case's logits: one option above two that are nearly equal."""
        random = np.random.default_rng(case)
        found = random.normal(0, 0.01, 3)
        found[random.integers(3)] += random.choice(GAPS, p=(0.5, 0.3, 0.2))
        return [float(each) for each in found]

    def gold(self, case: int) -> str:
        """The right option: drawn by the probabilities that the scorer sends, or by a fair die."""
        random, truth = np.random.default_rng((case, 1)), calibrated(self.logits(case), 1.0)
        known, blind = random.choice(3, p=truth), random.integers(3)
        return DEFINITION.option_ids[int(blind if max(truth) < self.lost_below else known)]

    def answer(self, body: bytes) -> bytes:
        """Answer one decision about the case that the state names."""
        asked = json.loads(body)["decision"]
        ids = [each["id"] for each in asked["options"]]
        # Options that were moved keep their logits.
        declared = dict(zip(DEFINITION.option_ids, self.logits(asked["state"]["case"]), strict=True))
        logits = [declared[each] for each in ids]
        result = answer(
            id=asked["id"],
            choice=ids[logits.index(max(logits))],
            option_ids=ids,
            option_logits=logits,
            probabilities=calibrated(logits, 1.0),
        )
        return json.dumps({"result": result.model_dump(mode="json")}).encode()


@contextmanager
def served(scorer: KnownScorer) -> Iterator[str]:
    """Serve until the block ends; give the URL."""

    def reply(handler: BaseHTTPRequestHandler, listens: Listening) -> None:
        # Headers and body are two writes: the second would wait for the first one's acknowledgement.
        handler.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        says(200, scorer.answer(listens.received.pop().body))(handler, listens)

    with listening(reply) as listens:
        yield listens.url
