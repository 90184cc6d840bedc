"""The support-route decision, and how its answer shows that the pinned model, prompt and machine decided it."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from field_differences import NOTHING, difference, differences

Answer = Mapping[str, Any]

# The decision whose rendered prompt has the pinned digest: the container proves the same one at its start.
QUESTION: Final[Answer] = {
    "decision": {
        "id": "support-route",
        "state": "Customer asks to reset a forgotten password and says the reset email never arrived.",
        "question": "Which queue should handle this request?",
        "options": [
            {"id": "account_access", "description": "Account access and authentication support."},
            {"id": "billing", "description": "Billing and payment support."},
            {"id": "sales", "description": "Sales and product evaluation."},
        ],
    }
}
SUM_TOLERANCE: Final = 1e-9
_RESULT: Final = "answer.result"
_MODEL: Final = "answer.result.model"


def decision_differences(wanted: Answer, answer: object) -> list[str]:
    """Return how an answer differs from what the pins say: a field of the identity record, the prompt, or the numbers.

    Args:
        wanted: The fields of the result that are known beforehand.
        answer: The JSON that came back.
    """
    result = answer.get("result", NOTHING) if isinstance(answer, Mapping) else answer
    exact = {**wanted, "model": {name: value for name, value in wanted["model"].items() if name != "context_tokens"}}
    found = [*differences(_RESULT, exact, result)]
    if not isinstance(result, Mapping) or not isinstance(result.get("model"), Mapping):
        return found
    found += _context_differences(result["model"], wanted["model"]["context_tokens"])
    found += _layer_differences(result["model"], wanted["model"]["n_gpu_layers"])
    found += _library_differences(result["model"])
    found += _probability_differences(result, wanted["option_ids"])
    return found


def _context_differences(model: Answer, asked: int) -> Iterator[str]:
    """A context is rounded up, and may hold cells for padding beside the tokens that were asked for."""
    found = model.get("context_tokens", NOTHING)
    if not isinstance(found, int) or found < asked:
        yield difference(f"{_MODEL}.context_tokens", f"at least {asked}", found)


def _layer_differences(model: Answer, asked: int) -> Iterator[str]:
    """As many layers are on a GPU as were asked for; fewer than none asks for all of them."""
    total = model.get("layers_total", NOTHING)
    if not isinstance(total, int) or total < 1:
        yield difference(f"{_MODEL}.layers_total", "at least 1", total)
        return
    offloaded = total if asked < 0 else min(asked, total)
    yield from differences(f"{_MODEL}.layers_offloaded", offloaded, model.get("layers_offloaded", NOTHING))
    device = model.get("device", NOTHING)
    if not offloaded:
        yield from differences(f"{_MODEL}.device", None, device)
    elif not _is_text(device):
        yield difference(f"{_MODEL}.device", "the name of a GPU", device)


def _library_differences(model: Answer) -> Iterator[str]:
    """What no pin knows must at least be told: the library comes with the base image, the backend with the machine."""
    library = model.get("llama_cpp")
    told = library if isinstance(library, Mapping) else {}
    fields = {"llama_cpp.version": told.get("version", NOTHING), "backend": model.get("backend", NOTHING)}
    fields["llama_cpp.library_sha256"] = told.get("library_sha256", NOTHING)
    for name, value in fields.items():
        if not _is_text(value):
            yield difference(f"{_MODEL}.{name}", "a text", value)


def _probability_differences(result: Answer, option_ids: list[str]) -> Iterator[str]:
    field, found = f"{_RESULT}.probabilities", result.get("probabilities", NOTHING)
    if not isinstance(found, list) or len(found) != len(option_ids) or not all(map(_is_share, found)):
        yield difference(field, f"{len(option_ids)} numbers from 0 to 1", found)
    elif abs(math.fsum(found) - 1) > SUM_TOLERANCE:
        yield difference(f"{field}: their sum", 1, math.fsum(found))
    else:
        likeliest = option_ids[found.index(max(found))]
        yield from differences(f"{_RESULT}.choice", likeliest, result.get("choice", NOTHING))


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def decision_description(answer: Answer) -> str:
    """Say in one line what decided, of an answer without a difference: what no pin knows, and people want to know."""
    model = answer["result"]["model"]
    layers = f"{model['layers_offloaded']} of {model['layers_total']} layers on {model['device'] or 'no GPU'}"
    version = model["llama_cpp"]["version"]
    return f"{model['name']}, llama.cpp {version}, {model['backend']}, {layers}, {model['threads']} threads"
