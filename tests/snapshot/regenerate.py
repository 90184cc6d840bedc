"""Write the golden templates anew: python -m tests.snapshot.regenerate."""

import sys
from pathlib import Path

from tests.snapshot.normalised import NAMES, normalised

GOLDEN = Path(__file__).parent / "golden"


def golden_path(environment: str, stack: str) -> Path:
    """Return where a stack's golden template lies."""
    return GOLDEN / environment / f"{stack}.json"


def main() -> None:
    """Write every golden template and say which of them changed."""
    for environment, stack in NAMES:
        path = golden_path(environment, stack)
        before = path.read_text("utf-8") if path.is_file() else None
        after = normalised(environment, stack)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(after, "utf-8")
        sys.stdout.write(f"{'same   ' if before == after else 'changed'} {path.relative_to(Path.cwd())}\n")


if __name__ == "__main__":
    main()
