"""What the image test reads from a build's output about the self-test."""

import pytest

from tests.image.self_test import outcome


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["STEP 9/9: RUN python3 -m semif self-test", "self-test passed on haswell"], "passed"),
        (["STEP 9/9: RUN self-test || echo self-test passed, or not run here"], "silent"),
        (["STEP 9/9: RUN python3 -m semif self-test", "self-test not run here: illegal instruction"], "not run here"),
        (["self-test not run here: illegal instruction", "self-test passed on haswell"], "both"),
        (["Illegal instruction", "subprocess exited with status 132"], "silent"),
    ],
)
def test_the_outcome_is_what_ran_not_what_was_to_run(lines: list[str], said: str) -> None:
    """The build's echo of its own instructions proves nothing; what the self-test printed does."""
    assert outcome("\n".join(lines)) == said
