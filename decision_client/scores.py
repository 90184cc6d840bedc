"""Option logits as calibrated probabilities."""

import math
from collections.abc import Sequence


def calibrated(option_logits: Sequence[float], temperature: float) -> tuple[float, ...]:
    """Return the softmax of the logits divided by a temperature greater than 0; 1 is what the endpoint sends."""
    greatest = max(option_logits)
    weights = [math.exp((logit - greatest) / temperature) for logit in option_logits]
    total = math.fsum(weights)
    return tuple(weight / total for weight in weights)


def margin(probabilities: Sequence[float]) -> float:
    """Return the distance between the two highest."""
    first, second = sorted(probabilities, reverse=True)[:2]
    return first - second
