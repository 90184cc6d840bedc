"""The price file of the runbook, as it stands there."""

import re
from pathlib import Path
from typing import Final

_RUNBOOK: Final = Path(__file__).resolve().parents[3] / "docs" / "operations.md"


def documented(folder: Path, *changes: tuple[str, str]) -> Path:
    """Write the runbook's price file, with each old text replaced by its new one, and return its path."""
    (text,) = re.findall(r"<!-- price file -->\n```toml\n(.*?)```", _RUNBOOK.read_text("utf-8"), re.DOTALL)
    for old, new in changes:
        assert old in text, f"the price file does not hold {old!r}"
        text = text.replace(old, new)
    file = folder / "prices.toml"
    file.write_text(text, "utf-8")
    return file
