"""How a step says that something did not hold."""


class StepFailedError(Exception):
    """One sentence, and what was printed that led to it."""

    def __init__(self, sentence: str, output: str = "") -> None:
        super().__init__(sentence)
        self.output = output
