"""Pure: the logits of the prompt's last position to a readout over the declared options."""

import numpy as np
from numpy.typing import NDArray

from semif.decision import Readout, Thresholds

_NO_FLAGS = Thresholds()


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
    if not np.isfinite(logits).all():
        raise InvalidLogitsError
    options = logits[list(letter_ids)].astype(np.float64)
    weights = np.exp(options - options.max())
    probabilities = weights / weights.sum()
    best = int(logits.argmax())
    # The sum over the vocabulary: terms in single precision (an error of 1e-7 each), added in double.
    with np.errstate(over="ignore", under="ignore"):  # a logit that far below adds nothing
        total = np.exp(logits - logits[best]).sum(dtype=np.float64)
    mass = min(float(np.exp(options - float(logits[best])).sum() / total), 1.0)
    choice = int(options.argmax())  # argmax takes the first of equals: the first declared option
    second, first = np.partition(probabilities, -2)[-2:]
    return Readout(
        option_logits=tuple(options.tolist()),
        probabilities=tuple(probabilities.tolist()),
        allowed_token_mass=mass,
        full_vocab_argmax_id=best,
        choice=choice,
        tie=int((options == options[choice]).sum()) > 1,
        low_mass=mass < thresholds.token_mass,
        low_margin=float(first - second) < thresholds.margin,
    )
