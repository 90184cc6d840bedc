"""Pure: the logits of the prompt's last position to a readout over the declared options."""

import math

import numpy as np
from numpy.typing import NDArray

from semif.decision import Readout, Thresholds

_NO_FLAGS = Thresholds()
_BLOCK = 16_384  # logits whose exponentials stay in a core's own cache


class InvalidLogitsError(Exception):
    """The model produced a number that is not finite; there is no decision to report."""


def read_out(logits: NDArray[np.float32], letter_ids: tuple[int, ...], thresholds: Thresholds = _NO_FLAGS) -> Readout:
    """Reads the declared options out of the full vocabulary's logits.

    Args:
        logits: Shape (vocabulary size,), as the model computed them.
        letter_ids: Token id of each option's letter, in declared order; at least two.
        thresholds: Below which the readout is flagged; a flagged one says the same otherwise.

    Raises:
        InvalidLogitsError: Any logit of the whole vocabulary is not finite.
    """
    best = int(logits.argmax())
    highest = float(logits[best])
    if not (math.isfinite(highest) and math.isfinite(logits.min())):  # both are NaN if any logit is
        raise InvalidLogitsError
    options = [float(logits[id_]) for id_ in letter_ids]  # so few that plain floats are faster than an array
    first = max(options)
    weights = [math.exp(option - first) for option in options]
    whole = math.fsum(weights)
    probabilities = tuple(weight / whole for weight in weights)
    mass = math.fsum(math.exp(option - highest) for option in options) / _exponentials(logits, highest)
    leading, following = sorted(probabilities, reverse=True)[:2]
    return Readout(
        option_logits=tuple(options),
        probabilities=probabilities,
        allowed_token_mass=min(mass, 1.0),
        full_vocab_argmax_id=best,
        choice=options.index(first),  # the first of equals: the first declared option
        tie=options.count(first) > 1,
        low_mass=mass < thresholds.token_mass,
        low_margin=leading - following < thresholds.margin,
    )


def _exponentials(logits: NDArray[np.float32], highest: float) -> float:
    # The sum over the vocabulary: terms and their blocks in single precision (an error of some 1e-7), added in double.
    shift = np.float32(highest)
    with np.errstate(over="ignore", under="ignore"):  # a logit that far below adds nothing
        starts = range(0, len(logits), _BLOCK)
        return math.fsum(np.exp(logits[start : start + _BLOCK] - shift).sum() for start in starts)
