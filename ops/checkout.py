"""The commit of this checkout, if it holds what the checkout holds."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


class CheckoutError(RuntimeError):
    """No commit can be named."""


@dataclass(frozen=True)
class Checkout:
    """A folder that may be a git repository."""

    root: Path = ROOT

    def is_repository(self) -> bool:
        """Tell whether git knows the folder."""
        try:
            return self._git("rev-parse", "--is-inside-work-tree") == "true"
        except CheckoutError:
            return False

    def commit(self, paths: Sequence[Path]) -> str:
        """Return the commit, which holds these files as they are here.

        Raises:
            CheckoutError: One of them was changed since, or there is no commit.
        """
        if changed := self._git("status", "--porcelain", "--", *map(str, paths)):
            raise CheckoutError(f"changed since the last commit: {', '.join(changed.split()[1::2])}")
        return self._git("rev-parse", "HEAD")

    def _git(self, *arguments: str) -> str:
        try:
            done = subprocess.run(["git", "-C", self.root, *arguments], capture_output=True, text=True, check=True)
        except FileNotFoundError as error:
            raise CheckoutError("git is not installed") from error
        except subprocess.CalledProcessError as error:
            raise CheckoutError(" ".join(error.stderr.split())) from error
        return done.stdout.strip()
