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
_TOPICS = (
    "a password that has to be reset",
    "a payment that was charged twice",
    "a parcel that never arrived",
    "a contract that shall end",
    "a device that gets too hot",
    "an invoice with a wrong address",
    "an account that was locked",
    "a refund that is late",
    "a voucher that is not accepted",
    "a damaged delivery",
    "a change of the delivery date",
    "a question about prices",
    "a threat of legal action",
    "a request to delete personal data",
    "a fault that affects other customers",
    "a technician who did not come",
    "a number that shall be ported",
    "an order placed by mistake",
    "a warranty claim",
    "praise for an employee",
    "a complaint about waiting times",
)
QUESTIONS = len(_TOPICS)
_ACTORS = ("The customer", "The agent", "A colleague in billing", "The warehouse", "The courier", "A technician")
_ACTS = ("reports", "confirms", "denies", "asks about", "sends a photo of", "promises to look into", "closes")
_PLACES = ("by phone", "in the chat", "by e-mail", "in the shop", "through the app", "in a letter")


def short_decision(case: int) -> Body:
    """A single decision of about 130 tokens; each case has a state of its own."""
    return decision(f"short-{case}", SHORT_STATE.format(case=case), "Which queue should handle this request?", _OPTIONS)


def decision(
    id_: str, state: object, question: str, options: tuple[tuple[str, str], ...] = (("yes", "Yes."), ("no", "No."))
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
            act = f"{numbers.choice(_ACTORS)} {numbers.choice(_ACTS)} {numbers.choice(_TOPICS)}"
            events.append(f"Day {len(events) + 1}: {act} {numbers.choice(_PLACES)}.")
    return state


def questions(state: object, number: int = QUESTIONS) -> list[Body]:
    """The first `number` of the questions about one state, each of about 37 tokens.

    Raises:
        ValueError: There are not so many.
    """
    if number > QUESTIONS:
        raise ValueError(f"there are {QUESTIONS} questions")
    return [
        decision(f"topic-{index}", state, f"Does the case involve {topic}?")
        for index, topic in enumerate(_TOPICS[:number])
    ]
