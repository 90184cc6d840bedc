"""One value of an environment's file, changed, and nothing else of it."""

import shutil
from pathlib import Path

import pytest

from config.loader import ENVIRONMENTS_DIRECTORY, load
from ops.pins.pin_file import Update, UpdateError, write
from tests.unit.ops.hub_answers import (
    DEV,
    PINNED,
)


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """Return the file of dev, copied, with what people write into files."""
    file = tmp_path / "dev.toml"
    shutil.copy(ENVIRONMENTS_DIRECTORY / "dev.toml", file)
    text = file.read_text("utf-8")
    assert text.count(DEV.images.chat.digest) == 2
    found = f'digest = "{DEV.images.chat.digest}"\nkind'
    text = text.replace(found, f"digest   =  '{DEV.images.chat.digest}' # as measured, é\nkind", 1)
    file.write_bytes(text.replace("\n", "\r\n").encode())
    return file


def test_one_value_is_changed_and_everything_else_stays(environment: Path) -> None:
    """Comments, order, spaces, line ends and the equal digest of the other image are as they were."""
    before = environment.read_bytes()
    new = f"sha256:{'1' * 64}"

    write(environment, Update(("images", "chat", "digest"), DEV.images.chat.digest, new))

    old_value = f"'{DEV.images.chat.digest}' #".encode()
    assert environment.read_bytes() == before.replace(old_value, f'"{new}" #'.encode())
    assert load("dev", environment.parent).images.chat.digest == new
    assert [path.name for path in environment.parent.iterdir()] == ["dev.toml"]


@pytest.mark.parametrize(
    ("update", "says"),
    [
        (Update(("images", "chat", "digest"), DEV.images.chat.digest, "latest"), "must be a digest"),
        (Update(("images", "chat", "digest"), "sha256:older", f"sha256:{'1' * 64}"), "is not sha256:older any more"),
        (Update(("images", "chat", "digest"), DEV.images.chat.digest, DEV.images.chat.digest), "nothing would change"),
        (
            Update(("model", "source", "revision"), PINNED, "main"),
            "must be a commit",
        ),
    ],
)
def test_bad_update_leaves_the_file_as_it_was(environment: Path, update: Update, says: str) -> None:
    """Whatever is wrong with it, the file keeps its bytes and nothing lies beside it."""
    before = environment.read_bytes()

    with pytest.raises(UpdateError, match=says):
        write(environment, update)

    assert environment.read_bytes() == before
    assert [path.name for path in environment.parent.iterdir()] == ["dev.toml"]
