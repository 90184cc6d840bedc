"""How far logits of one prompt move when it is asked again on one runtime: what `ops replay` takes for noise."""

from collections import defaultdict
from dataclasses import dataclass

from evidence.results import Results


class FloorError(ValueError):
    """Results say nothing about noise; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class LogitFloor:
    """The greatest distance between an option's logits over `answers` to `prompts` that were asked more than once."""

    logits: float
    prompts: int
    answers: int


def logit_floor(results: Results, identity: str) -> LogitFloor:
    """Measure the floor of one runtime.

    Whatever the phase: an answer that depends on how many clients ask is noise to whoever asks again.

    Args:
        results: A run with repeats, or one of several phases.
        identity: The digest of the identity record that the answers must carry.

    Raises:
        FloorError: No prompt was answered twice under this identity.
    """
    asked: dict[tuple[str, tuple[str, ...]], list[tuple[float, ...]]] = defaultdict(list)
    for answer in results.answers:
        if answer.identity == identity:
            asked[answer.prompt_sha256, answer.option_ids].append(answer.option_logits)
    repeated = [logits for logits in asked.values() if len(logits) > 1]
    if not repeated:
        raise FloorError("the results hold no prompt that was answered twice by what the record's answer came from")
    distances = (max(of_option) - min(of_option) for logits in repeated for of_option in zip(*logits, strict=True))
    return LogitFloor(max(distances), len(repeated), sum(map(len, repeated)))
