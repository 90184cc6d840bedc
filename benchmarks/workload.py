"""What is asked: case histories of a wanted length, and questions about them. The same on every machine."""

import json
import random
from collections.abc import Callable
from typing import Any

Body = dict[str, Any]

SHORT_STATE = "Customer {case} asks to reset a forgotten password and says the reset email never arrived."
_OPTIONS = (
    ("account_access", "Account access and authentication support."),
    ("billing", "Billing and payment support."),
    ("sales", "Sales and product evaluation."),
)
# What histories are about, and what is asked about it; no two questions need begin alike.
_TOPICS = {
    "a password that has to be reset": "Was a reset asked for?",
    "a payment that was charged twice": "Has anybody paid twice?",
    "a parcel that never arrived": "Did a parcel fail to arrive?",
    "a contract that shall end": "Is a contract ended?",
    "a device that gets too hot": "Does a device overheat?",
    "an invoice with a wrong address": "Are there wrong invoices?",
    "an account that was locked": "Was an account locked?",
    "a refund that is late": "Must money be refunded?",
    "a voucher that is not accepted": "Has a voucher failed?",
    "a damaged delivery": "Did something arrive damaged?",
    "a change of the delivery date": "Should delivery be later?",
    "a question about prices": "Were prices asked about?",
    "a threat of legal action": "Is a lawyer mentioned?",
    "a request to delete personal data": "Are data to be deleted?",
    "a fault that affects other customers": "Could others be affected?",
    "a technician who did not come": "Did a technician stay away?",
    "a number that shall be ported": "Does a number move?",
    "an order placed by mistake": "Was an order a mistake?",
    "a warranty claim": "Has warranty been claimed?",
    "praise for an employee": "Is an employee praised?",
    "a complaint about waiting times": "Were waiting times too long?",
}
QUESTIONS = len(_TOPICS)
_ACTORS = ("The customer", "The agent", "A colleague in billing", "The warehouse", "The courier", "A technician")
_ACTS = ("reports", "confirms", "denies", "asks about", "sends a photo of", "promises to look into", "closes")
_PLACES = ("by phone", "in the chat", "by e-mail", "in the shop", "through the app", "in a letter")


def short_decision(case: int) -> Body:
    """A single decision of about 130 tokens; each case has a state of its own."""
    return decision(f"short-{case}", SHORT_STATE.format(case=case), "Which queue should handle this request?", _OPTIONS)


def decision(
    id_: str, state: object, question: str, options: tuple[tuple[str, str], ...] = (("yes", "yes"), ("no", "no"))
) -> Body:
    """One decision as the wire wants it."""
    listed = [{"id": name, "description": description} for name, description in options]
    return {"id": id_, "state": state, "question": question, "options": listed}


def history(case: int, *, tokens: int, count: Callable[[str], int]) -> Body:
    """A case history with at least `tokens` tokens as `count` counts its JSON; cases differ from their start on."""
    numbers = random.Random(case)  # noqa: S311 - text to read, not a secret
    events: list[str] = []
    state: Body = {"case": f"C-{case:06d}", "events": events}
    while count(json.dumps(state)) < tokens:
        for _ in range(4):
            act = f"{numbers.choice(_ACTORS)} {numbers.choice(_ACTS)} {numbers.choice(tuple(_TOPICS))}"
            events.append(f"Day {len(events) + 1}: {act} {numbers.choice(_PLACES)}.")
    return state


def questions(state: object, number: int = QUESTIONS) -> list[Body]:
    """The first `number` of the questions about one state, each of about 45 tokens.

    Raises:
        ValueError: There are not so many.
    """
    if number > QUESTIONS:
        raise ValueError(f"there are {QUESTIONS} questions")
    return [decision(f"topic-{index}", state, question) for index, question in enumerate([*_TOPICS.values()][:number])]
