"""What the image test demands of an answer."""

import copy
from typing import Any

import pytest

from config.loader import load
from ops.ask import SUPPORT_ROUTE
from tests.image.answer import broken_promises

MODEL = load("local").model
DIGEST = f"sha256:{'a' * 64}"
RESULT: dict[str, Any] = {
    "id": "support-route",
    "option_ids": ["account_access", "billing", "sales"],
    "probabilities": [0.7, 0.2, 0.1],
    "prompt_sha256": MODEL.known_prompt_sha256,
    "model": {
        "gguf": {"file": MODEL.file, "bytes": MODEL.bytes, "sha256": MODEL.sha256},
        "image_digest": DIGEST,
    },
}


def test_a_right_answer_breaks_no_promise() -> None:
    """The answer of the pinned model in the built image is accepted."""
    assert broken_promises(RESULT, SUPPORT_ROUTE, MODEL, DIGEST) == []


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("id", "other", "id"),
        ("option_ids", ["billing", "account_access", "sales"], "options"),
        ("probabilities", [0.7, 0.2], "2 probabilities"),
        ("probabilities", [0.7, 0.2, 0.2], "sum"),
        ("probabilities", [0.2, 0.7, 0.1], "billing"),
        ("prompt_sha256", "0" * 64, "prompt"),
        ("model", {"gguf": {}, "image_digest": DIGEST}, "weights"),
        ("model", {**RESULT["model"], "image_digest": "sha256:0"}, "image"),
        ("model", {}, "no 'gguf'"),
    ],
)
def test_a_broken_promise_is_named(field: str, value: object, word: str) -> None:
    """Each thing that could be wrong with the answer is found and said."""
    result = copy.deepcopy(RESULT) | {field: value}
    assert any(word in sentence for sentence in broken_promises(result, SUPPORT_ROUTE, MODEL, DIGEST))
