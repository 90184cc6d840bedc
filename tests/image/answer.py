"""What the answer to the known decision must say."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from config.model import ModelPin


def broken_promises(result: Mapping[str, Any], asked: Mapping[str, Any], model: ModelPin, digest: str) -> list[str]:
    """Return one sentence for each thing the result of a decision should say and does not.

    Args:
        result: The answer's `result`.
        asked: The decision that was sent; its first option is the right one.
        model: The pinned model that was to answer.
        digest: Digest of the image that was to answer.
    """
    try:
        return [sentence for held, sentence in _promises(result, asked, model, digest) if not held]
    except KeyError as missing:
        return [f"The result has no {missing}."]


def _promises(
    result: Mapping[str, Any], asked: Mapping[str, Any], model: ModelPin, digest: str
) -> Iterator[tuple[bool, str]]:
    options = [option["id"] for option in asked["options"]]
    probabilities: Sequence[float] = result["probabilities"]
    identity = result["model"]
    yield result["id"] == asked["id"], f"The id is {result['id']!r}, not {asked['id']!r}."
    yield result["option_ids"] == options, f"The options are {result['option_ids']}, not {options}."
    count, total = len(probabilities), math.fsum(probabilities)
    yield count == len(options), f"There are {count} probabilities for {len(options)} options."
    yield math.isclose(total, 1.0, abs_tol=1e-9), f"The probabilities sum to {total}, not to 1."
    best = max(zip(probabilities, options, strict=False))[1]
    yield best == options[0], f"The answer is {best}, not {options[0]}."
    prompt = result["prompt_sha256"]
    yield prompt == model.known_prompt_sha256, f"The prompt is {prompt}, not the pinned {model.known_prompt_sha256}."
    wanted = {"file": model.file, "bytes": model.bytes, "sha256": model.sha256}
    yield identity["gguf"] == wanted, f"The weights are {identity['gguf']}, not {wanted}."
    yield identity["image_digest"] == digest, f"The image says it is {identity['image_digest']}, not {digest}."
