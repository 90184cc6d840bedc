"""Why nothing is calibrated or checked."""


class CalibrationError(ValueError):
    """A plan, labels or answers from which nothing can be concluded; the message is one sentence."""
