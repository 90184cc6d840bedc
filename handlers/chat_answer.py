"""A short question for the chat endpoint, and what its answer tells of the model behind it."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from field_differences import NOTHING, difference, differences

Answer = Mapping[str, Any]

MAX_TOKENS: Final = 16
QUESTION: Final[Answer] = {
    "messages": [{"role": "user", "content": "Name the capital of France in one short sentence."}],
    "max_tokens": MAX_TOKENS,
    "temperature": 0,
    "seed": 1,
    "stream": False,
    # A model that can think would spend the few tokens on it; templates without this switch do not read it.
    "chat_template_kwargs": {"enable_thinking": False},
}


def chat_differences(wanted: Answer, answer: object) -> list[str]:
    """Return how a completion differs from one that the deployed container gives; its text is never shown.

    Args:
        wanted: The fields of the completion that are known beforehand.
        answer: The JSON that came back.
    """
    if not isinstance(answer, Mapping):
        return [difference("answer", "an object", answer)]
    found = {**answer, "model": _file(answer.get("model", NOTHING))}
    return [*differences("answer", wanted, found), *_choice_differences(answer), *_usage_differences(answer)]


def _file(named: object) -> object:
    """Return the file's name: llama-server names what it serves, some versions with the folder it lies in."""
    return named.rpartition("/")[2] if isinstance(named, str) else named


def _choice_differences(answer: Answer) -> Iterator[str]:
    choices = answer.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], Mapping):
        count = len(choices) if isinstance(choices, list) else NOTHING
        yield difference("answer.choices: their number", 1, count)
        return
    reason, message = choices[0].get("finish_reason", NOTHING), choices[0].get("message")
    if reason not in ("stop", "length"):
        yield difference("answer.choices[0].finish_reason", "stop or length", reason)
    spoken = [message.get(part) for part in ("content", "reasoning_content")] if isinstance(message, Mapping) else []
    if not any(isinstance(part, str) and part.strip() for part in spoken):
        yield difference("answer.choices[0].message.content", "a text", NOTHING)


def _usage_differences(answer: Answer) -> Iterator[str]:
    usage = answer.get("usage")
    for name, most in (("prompt_tokens", None), ("completion_tokens", MAX_TOKENS)):
        count = usage.get(name, NOTHING) if isinstance(usage, Mapping) else NOTHING
        if not isinstance(count, int) or count < 1 or (most and count > most):
            yield difference(f"answer.usage.{name}", f"1 to {most}" if most else "at least 1", count)


def chat_description(answer: Answer) -> str:
    """Say in one line what completed, of an answer without a difference."""
    return f"{_file(answer['model'])}, llama.cpp {answer.get('system_fingerprint', 'of unknown build')}"
