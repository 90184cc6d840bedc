"""Published sets of labelled decisions: no part of this repository, read where they lie, if they do."""

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("PUBLISHED_SETS", Path(__file__).parents[4] / "shared/data"))
JEVBENCH = FOLDER / "jevbench-original/original.jsonl"


def needs(file: Path) -> pytest.MarkDecorator:
    """Skip a test, by the file's name, where the file is not there."""
    return pytest.mark.skipif(not file.exists(), reason=f"{file.name} is not here; PUBLISHED_SETS names its folder")
