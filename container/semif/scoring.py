"""Pure: the logits of the prompt's last position to a readout over the declared options."""

import numpy as np
from numpy.typing import NDArray

from semif.decision import Readout


class InvalidLogitsError(Exception):
    """The model produced a number that is not finite; there is no decision to report."""


def read_out(logits: NDArray[np.float32], letter_ids: tuple[int, ...]) -> Readout:
    """Reads the declared options out of the full vocabulary's logits.

    Args:
        logits: Shape (vocabulary size,), as the model computed them.
        letter_ids: Token id of each option's letter, in declared order; at least two.

    Raises:
        InvalidLogitsError: Any logit of the whole vocabulary is not finite.
    """
    if not np.isfinite(logits).all():
        raise InvalidLogitsError
    full = logits.astype(np.float64)
    options = full[list(letter_ids)]
    weights = np.exp(options - options.max())
    probabilities = weights / weights.sum()
    highest = full.max()
    mass = np.exp(options - highest).sum() / np.exp(full - highest).sum()
    choice = int(options.argmax())  # argmax takes the first of equals: the first declared option
    return Readout(
        option_logits=tuple(options.tolist()),
        probabilities=tuple(probabilities.tolist()),
        allowed_token_mass=min(float(mass), 1.0),
        full_vocab_argmax_id=int(full.argmax()),
        choice=choice,
        tie=int((options == options[choice]).sum()) > 1,
    )
