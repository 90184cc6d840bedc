"""The commit of a checkout."""

import subprocess
from pathlib import Path

import pytest

from ops.checkout import Checkout, CheckoutError


def test_commit_is_named_only_while_it_holds_the_files(tmp_path: Path) -> None:
    """A changed file of those that count has no commit; other files do not count."""

    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", tmp_path, *arguments], check=True, capture_output=True)

    checkout, file = Checkout(tmp_path), tmp_path / "counts"
    assert not checkout.is_repository()
    git("init")
    file.write_text("one")
    git("add", ".")
    git("-c", "user.name=n", "-c", "user.email=e", "commit", "-m", "m")
    (tmp_path / "other").write_text("new")
    assert len(checkout.commit([file])) == 40

    file.write_text("two")
    with pytest.raises(CheckoutError, match="changed since the last commit: counts"):
        checkout.commit([file])
