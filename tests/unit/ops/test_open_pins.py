"""A file that cannot be deployed yet, since pins of it are open, is completed one pin at a time."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from config.loader import ENVIRONMENTS_DIRECTORY, load
from config.rules import ConfigurationError
from ops.__main__ import app
from ops.pins.draft import read_draft
from ops.pins.pin_file import Update, UpdateError, write
from ops.services import Services
from tests.unit.config.environment_files import OPEN_DIGEST
from tests.unit.ops.fake_account import FakeAccount, manifest
from tests.unit.ops.fake_hub import fake_hub

TEXT, DIGEST = manifest("arm64")
CHAT = ("images", "chat", "digest")
TAG = "server-sagemaker-cpu-v1"


@pytest.fixture
def graviton(tmp_path: Path) -> Path:
    """Return a copy of the example whose digests are open."""
    return Path(shutil.copy(ENVIRONMENTS_DIRECTORY / "graviton.toml", tmp_path))


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connect the commands to an account whose registry has the image for arm64, in a list of platforms."""
    account = FakeAccount()
    arm64 = {"digest": DIGEST, "platform": {"os": "linux", "architecture": "arm64"}}
    index_type = "application/vnd.oci.image.index.v1+json"
    index, index_digest = manifest("index", index_type, manifests=[arm64])
    account.images[DIGEST] = {"text": TEXT, "tags": [], "repository": "llama-cpp-arm64"}
    account.images[index_digest] = {"text": index, "tags": [TAG], "repository": "llama-cpp-arm64"}
    monkeypatch.setattr(Services, "of_region", lambda _region: account.services())


def _update(file: Path, *arguments: str) -> Result:
    directory = str(file.parent)
    return CliRunner().invoke(
        app, ["pin", "update", file.stem, *arguments, "--yes", "--json", "--environments-directory", directory]
    )


def test_example_of_graviton_is_completed_by_two_updates(graviton: Path) -> None:
    """Each call fills in one digest, which the registry says; after the second the file can be deployed."""
    before = graviton.read_text("utf-8")

    first = _update(graviton, "images.chat", "--tag", TAG)
    between = graviton.read_text("utf-8")
    with pytest.raises(ConfigurationError, match=r"^[^\n]*images\.decision_base\.digest: must be a digest[^\n]*$"):
        load("graviton", graviton.parent)
    second = _update(graviton, "images.decision_base", "--tag", TAG)

    told: list[dict[str, Any]] = [json.loads(result.stdout) for result in (first, second)]
    assert [(each["old"], each["new"], each["open"]) for each in told] == [
        (OPEN_DIGEST, DIGEST, ["images.decision_base"]),
        (OPEN_DIGEST, DIGEST, []),
    ]
    assert "images.decision_base is open: nothing of graviton can be deployed" in first.stderr
    assert between == before.replace(OPEN_DIGEST, DIGEST, 1)
    assert graviton.read_text("utf-8") == before.replace(OPEN_DIGEST, DIGEST)
    assert load("graviton", graviton.parent).images.decision_base.digest == DIGEST


def test_open_pins_are_shown_with_the_way_to_fill_them(graviton: Path) -> None:
    """The other pins are looked up all the same; what would be made of open ones is not."""
    with fake_hub({}) as url:
        arguments = ["check", "graviton", "--hub", url, "--json", "--environments-directory", str(graviton.parent)]
        result = CliRunner().invoke(app, ["pin", *arguments])

    lines = {line["subject"]: line for line in json.loads(result.stdout)}
    assert result.exit_code == 2
    assert lines.keys() == {"model.source", "model.tokenizer", "images.chat", "images.decision_base"}
    assert lines["images.chat"]["says"].startswith("is open: must be a digest, sha256:")
    assert lines["images.chat"]["action"] == "python -m ops pin update graviton images.chat --tag TAG"
    assert "the hub answers 404" in lines["model.source"]["says"]


def test_file_that_breaks_another_rule_is_not_touched(graviton: Path) -> None:
    """Open pins are all that a file may have open: everything else is checked as if they were filled."""
    text = graviton.read_text("utf-8").replace("threads = 32", "threads = 64")
    graviton.write_text(text, "utf-8")

    result = _update(graviton, "images.chat", "--tag", TAG)

    assert isinstance(result.exception, ConfigurationError)
    assert "64 is more than the 32 vCPUs" in str(result.exception)
    assert graviton.read_text("utf-8") == text


def test_open_revision_of_the_hub_is_filled_in(graviton: Path) -> None:
    """A branch's name in the place of a commit is open, and becomes the commit the hub says it is."""
    text = graviton.read_text("utf-8")
    pinned = load("dev").model.tokenizer
    assert pinned
    graviton.write_text(text.replace(pinned.revision, "main"), "utf-8")

    with fake_hub({f"/api/models/{pinned.repository}/revision/main": {"sha": pinned.revision}}) as url:
        result = _update(graviton, "model.tokenizer", "--revision", "main", "--hub", url)

    assert json.loads(result.stdout)["old"] == "main"
    assert graviton.read_text("utf-8") == text


@given(
    space=st.sampled_from(["", " ", "\t"]),
    comment=st.text(st.characters(exclude_categories=("C", "Z"), include_characters=" "), max_size=20),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_absent_key_is_put_below_the_head_of_its_table(
    tmp_path_factory: pytest.TempPathFactory, space: str, comment: str, end: str
) -> None:
    """One line is new; comments, order and line ends of all the others are as they were."""
    file = tmp_path_factory.mktemp("environments") / "dev.toml"
    digest = load("dev").images.chat.digest
    text = (ENVIRONMENTS_DIRECTORY / "dev.toml").read_text("utf-8")
    assert text.count(f'digest = "{digest}"\n') == 2
    without = text.replace(f'digest = "{digest}"\n', "", 1)
    lines = without.replace("[images.chat]", f"[images.chat]{space}# {comment}").replace("\n", end).encode()
    file.write_bytes(lines)
    assert read_draft(file).values["images.chat"] == ""

    write(file, Update(CHAT, "", DIGEST))

    head, tail = lines.split(f"# {comment}{end}repository".encode(), 1)
    added = f'# {comment}{end}digest = "{DIGEST}"{end}repository'.encode()
    assert file.read_bytes() == head + added + tail
    assert load("dev", file.parent).images.chat.digest == DIGEST


def test_table_that_is_written_in_one_line_is_left_to_its_author(tmp_path: Path) -> None:
    """Where the place of a new key is not plain, the file stays as it is."""
    file = tmp_path / "dev.toml"
    digest = load("dev").images.chat.digest
    text = (ENVIRONMENTS_DIRECTORY / "dev.toml").read_text("utf-8")
    table = f'[images.chat]\nrepository = "llama-cpp"\ndigest = "{digest}"\nkind = "cpu-x86_64"\n'
    assert table in text
    inline = 'chat = {repository = "llama-cpp", kind = "cpu-x86_64"}\n'
    text = text.replace(table, "").replace('scan = "report"\n', f'scan = "report"\n{inline}')
    file.write_text(text, "utf-8")

    with pytest.raises(UpdateError, match=r"nothing would change, not images\.chat\.digest alone"):
        write(file, Update(CHAT, "", DIGEST))

    assert file.read_text("utf-8") == text
