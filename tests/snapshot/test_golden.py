import difflib
import re

import pytest

from tests.snapshot.normalised import NAMES, normalised
from tests.snapshot.regenerate import GOLDEN, golden_path

SHOWN_LINES = 120


@pytest.mark.parametrize(("environment", "stack"), NAMES)
def test_template_is_the_golden_one(environment: str, stack: str) -> None:
    """Whatever a change does to a template is in the review, as a change of its golden file."""
    golden, found = golden_path(environment, stack).read_text("utf-8"), normalised(environment, stack)

    if found != golden:
        difference = list(difflib.unified_diff(golden.splitlines(), found.splitlines(), "golden", "found", lineterm=""))
        shown = "\n".join(difference[:SHOWN_LINES])
        more = f"\n… and {len(difference) - SHOWN_LINES} more lines" if len(difference) > SHOWN_LINES else ""
        pytest.fail(
            f"{environment}/{stack}.json differs; if that is intended, run `make golden` and review it.\n{shown}{more}",
            pytrace=False,
        )


def test_every_golden_file_belongs_to_a_stack() -> None:
    """A stack that is gone leaves no file behind."""
    assert sorted(GOLDEN.rglob("*.json")) == sorted(golden_path(*name) for name in NAMES)


@pytest.mark.parametrize(("environment", "stack"), NAMES)
def test_golden_file_holds_no_digest_of_source_code(environment: str, stack: str) -> None:
    """What is left of digests are pins: an edit of a handler or of the container changes no golden file."""
    text = golden_path(environment, stack).read_text("utf-8")

    assert not re.findall(r"\b[0-9a-f]{64}\.zip", text)
    assert not re.findall(r'"HandlerVersion": "[0-9a-f]', text)
