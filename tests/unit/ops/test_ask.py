"""The operator's questions to deployed endpoints."""

import io
import json
from typing import Any

from ops.ask import RUNTIME_CONFIG, SUPPORT_ROUTE, ask_chat, ask_decision, chat_sentence, decision_sentence

RESULT = {
    "id": "support-route",
    "option_ids": ["account_access", "billing", "sales"],
    "probabilities": [0.78, 0.12, 0.10],
    "input_tokens": 131,
    "prompt_sha256": "ab" * 32,
}


class FakeRuntime:
    """Answers every InvokeEndpoint with one body and remembers what it was asked."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer = answer
        self.calls: list[dict[str, Any]] = []

    def invoke_endpoint(self, **call: Any) -> dict[str, Any]:
        """Remember the call and answer."""
        self.calls.append(call)
        return {"Body": io.BytesIO(json.dumps(self.answer).encode())}


def test_decision_is_asked_in_the_native_dialect() -> None:
    """The decision endpoint gets one decision object as JSON and its result comes back."""
    runtime = FakeRuntime({"result": RESULT})

    assert ask_decision(runtime, "semif-test-decision") == RESULT  # type: ignore[arg-type] # the fake has the one method used
    (call,) = runtime.calls
    assert call["EndpointName"] == "semif-test-decision"
    assert call["ContentType"] == "application/json"
    assert json.loads(call["Body"]) == {"decision": SUPPORT_ROUTE}


def test_chat_is_asked_deterministically() -> None:
    """The chat endpoint is asked at temperature 0 with a bounded length."""
    runtime = FakeRuntime({"choices": [{"message": {"content": "Paris."}}]})

    ask_chat(runtime, "semif-test-chat")  # type: ignore[arg-type] # as above
    body = json.loads(runtime.calls[0]["Body"])
    assert (body["temperature"], body["max_tokens"]) == (0, 32)


def test_sentences_name_every_option_and_stay_on_one_line() -> None:
    """What is printed names each option with its probability, and a chat answer is folded into one line."""
    sentence = decision_sentence(RESULT)

    assert "account_access 0.7800, billing 0.1200, sales 0.1000" in sentence
    assert chat_sentence({"choices": [{"message": {"content": "Paris\nis it.\n"}}]}) == "Paris is it."


def test_client_outlasts_the_platform_and_never_retries() -> None:
    """The socket timeout exceeds InvokeEndpoint's 60 s and one call is one inference."""
    settings: dict[str, Any] = vars(RUNTIME_CONFIG)["_user_provided_options"]  # the stubs omit the attributes

    assert settings["read_timeout"] == 70
    assert settings["retries"] == {"mode": "standard", "total_max_attempts": 1}
