"""docs/compliance.md, from what cdk-nag says: `python -m tests.compliance --write docs/compliance.md`."""

import argparse
import re
import sys
from pathlib import Path

from tests.compliance.document import document


def main() -> None:
    """Write the document, or say how it differs from what it should be."""
    parser = argparse.ArgumentParser(prog="python -m tests.compliance", description=__doc__)
    parser.add_argument("--write", type=Path, required=True)
    given = parser.parse_args()
    text = document()
    given.write.write_text(text, "utf-8")
    rows = len(re.findall(r"^\| (?!rule|---)", text, re.MULTILINE))
    sys.stdout.write(f"{given.write}: {rows} rows\n")


if __name__ == "__main__":
    main()
