"""Pins against what they name, and one of them changed."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from config.loader import ENVIRONMENTS_DIRECTORY, load
from config.model_source import S3Source
from config.settings import Settings
from config.split_set import ModelPart
from ops.pins.draft import Draft
from ops.pins.hub import Hub, HubError
from ops.pins.images import ImageError
from ops.pins.lookup import look_up
from ops.pins.pin_file import Update, UpdateError, write
from ops.pins.pin_update import of_hub, of_image
from ops.report import Line, State
from tests.unit.ops.fake_account import DOCKER_IMAGE, SETTINGS, FakeAccount, error, manifest
from tests.unit.ops.fake_hub import fake_hub

DEV = load("dev")
PINNED = "4168f45a16a1290d65a4ec0fa312ae917a4c15d6"
NEW = "b" * 40
AT_PIN = f"/api/models/bartowski/Qwen_Qwen3.5-4B-GGUF/revision/{PINNED}"
AT_MAIN = "/api/models/bartowski/Qwen_Qwen3.5-4B-GGUF/revision/main"
AT_NEW = f"/api/models/bartowski/Qwen_Qwen3.5-4B-GGUF/revision/{NEW}"
TOKENIZER_AT_PIN = "/api/models/Qwen/Qwen3.5-4B/revision/851bf6e806efd8d0a36b00ddf55e13ccb7b8cd0a"


def _commit(sha: str, size: int = DEV.model.bytes, sha256: str = DEV.model.sha256) -> dict[str, Any]:
    file = {"rfilename": DEV.model.file, "size": size, "lfs": {"size": size, "sha256": sha256}}
    return {"sha": sha, "siblings": [{"rfilename": "README.md", "size": 3}, file]}


HEALTHY = {AT_PIN: _commit(PINNED), TOKENIZER_AT_PIN: {"sha": "8" * 40}}


def _looked_up(account: FakeAccount, settings: Settings, answers: dict[str, Any]) -> dict[str, Line]:
    draft = Draft(settings, {}, {})
    with fake_hub(answers) as url:
        return {line.subject: line for line in look_up(account.services(), Hub(url), draft)}


def test_pins_of_the_hub_are_compared_with_what_it_states() -> None:
    """Size and digest of the file at the pinned commit are the pinned ones."""
    lines = _looked_up(FakeAccount(), DEV, HEALTHY)

    assert lines["model.source"].says.endswith("size and SHA-256 are the pinned ones")
    assert lines["model.tokenizer"].state is State.OK


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ({}, "the hub answers 404"),
        ({AT_PIN: _commit(NEW, size=1)}, "has 1 bytes, 3013027808 are pinned"),
        ({AT_PIN: _commit(NEW, sha256="0" * 64)}, "has SHA-256 000"),
        ({AT_PIN: {"sha": NEW, "siblings": []}}, "holds no file Qwen_Qwen3.5-4B-Q4_K_M.gguf"),
        ({AT_PIN: b"<html>"}, "does not answer"),
        ({AT_PIN: b"[]"}, "answers with no object"),
    ],
)
def test_pin_that_names_other_bytes_is_wrong(answers: dict[str, Any], says: str) -> None:
    """What the hub states is told, and never taken for the pin."""
    line = _looked_up(FakeAccount(), DEV, answers)["model.source"]

    assert line.state is State.WRONG
    assert says in line.says


SET = ["a-00001-of-00002.gguf", "a-00002-of-00002.gguf"]


def _split(kind: str) -> Settings:
    """Return dev with a set of two files, on the hub or in a bucket."""
    part = ModelPart(file=SET[1], bytes=7, sha256="d" * 64)
    source = DEV.model.source.model_copy(update={"folder": "q4"})
    stored = S3Source(kind="s3", uri=f"s3://models/q4/{SET[0]}")
    changes = {"file": SET[0], "parts": (part,), "source": source if kind == "huggingface" else stored}
    return DEV.model_copy(update={"model": DEV.model.model_copy(update=changes)})


def _set_on_hub(second: int = 7) -> dict[str, Any]:
    first = {"rfilename": f"q4/{SET[0]}", "size": DEV.model.bytes, "lfs": {"sha256": DEV.model.sha256}}
    return {
        "sha": PINNED,
        "siblings": [first, {"rfilename": f"q4/{SET[1]}", "size": second, "lfs": {"sha256": "d" * 64}}],
    }


def test_every_part_of_a_set_is_compared() -> None:
    """In the repository's folder; the part that differs is named."""
    right = _looked_up(FakeAccount(), _split("huggingface"), HEALTHY | {AT_PIN: _set_on_hub()})["model.source"]
    wrong = _looked_up(FakeAccount(), _split("huggingface"), HEALTHY | {AT_PIN: _set_on_hub(8)})["model.source"]

    assert right.says.endswith(f"/q4/{SET[0]} and 1 further parts: size and SHA-256 are the pinned ones")
    assert wrong.state is State.WRONG
    assert f"/q4/{SET[1]} has 8 bytes, 7 are pinned" in wrong.says


def test_every_part_of_a_set_is_looked_for_in_its_bucket() -> None:
    """Beside the first."""
    account, settings = FakeAccount(), _split("s3")
    account.objects.update({("models", f"q4/{name}"): bytes(size) for name, size in zip(SET, (5, 6), strict=True)})
    settings = settings.model_copy(update={"model": settings.model.model_copy(update={"bytes": 5})})

    line = _looked_up(account, settings, HEALTHY)["model.source"]

    assert line.state is State.WRONG
    assert line.says == f"s3://models/q4/{SET[1]} has 6 bytes, 7 are pinned"


def test_revision_of_a_set_is_one_that_holds_the_same_parts() -> None:
    """Another part is another model."""
    answers = {AT_MAIN: {"sha": NEW}, AT_NEW: _set_on_hub(), **HEALTHY}
    with fake_hub(answers) as url:
        assert of_hub(Hub(url), _split("huggingface"), "model.source", "main").new == NEW
    with fake_hub(answers | {AT_NEW: _set_on_hub(8)}) as url, pytest.raises(UpdateError, match=f"{SET[1]} of .* 8 byt"):
        of_hub(Hub(url), _split("huggingface"), "model.source", "main")


def test_pins_of_a_deployed_environment_resolve() -> None:
    """Source object, images and the content built from them are there."""
    account = FakeAccount()
    account.objects["semif-local-models", "SmolLM2-135M-Instruct.Q4_1.gguf"] = b""
    lines = _looked_up(account, SETTINGS, {})

    assert "has 0 bytes, 98362432 are pinned" in lines.pop("model.source").says
    assert {line.state for line in lines.values()} == {State.OK}
    assert lines.keys() == {"images.chat", "images.decision_base", "model key", "decision image"}


def test_content_that_is_not_built_yet_is_a_warning() -> None:
    """Pins can be right before anything is deployed."""
    account = FakeAccount()
    account.refused["describe_images"] = error("ImageNotFoundException")
    account.objects = {("semif-local-models", "SmolLM2-135M-Instruct.Q4_1.gguf"): b""}
    lines = _looked_up(account, SETTINGS, {})

    assert [lines[name].state for name in ("model key", "decision image")] == [State.WARNING, State.WARNING]


def test_changed_tag_is_asked_for_and_resolved_to_the_platform() -> None:
    """A list of platforms gives the digest of the pin's platform, which SageMaker takes."""
    account = FakeAccount()
    text, digest = manifest("new")
    attestation = {"digest": "sha256:a", "platform": {"os": "unknown", "architecture": "unknown"}}
    amd64 = {"digest": digest, "platform": {"os": "linux", "architecture": "amd64"}}
    index_type = "application/vnd.oci.image.index.v1+json"
    index, index_digest = manifest("index", index_type, manifests=[attestation, amd64])
    account.images[digest] = {"text": text, "tags": [], "repository": "llama-cpp"}
    account.images[index_digest] = {"text": index, "tags": ["v1"], "repository": "llama-cpp"}

    update = of_image(account.services(), SETTINGS, "images.chat", "v1")

    assert update == Update(("images", "chat", "digest"), SETTINGS.images.chat.digest, digest)


@pytest.mark.parametrize(
    ("media_type", "text", "says"),
    [
        ("application/vnd.oci.image.manifest.v1+json", None, "SageMaker takes"),
        (DOCKER_IMAGE, "{}", "has digest"),
        ("application/vnd.oci.image.index.v1+json", None, "lists 0 images for linux/amd64"),
    ],
)
def test_image_that_sagemaker_would_refuse_is_no_pin(media_type: str, text: str | None, says: str) -> None:
    """Another format, other bytes than the digest's, or no image of the platform."""
    account = FakeAccount()
    made, digest = manifest("new", media_type)
    account.images[digest] = {"text": text or made, "tags": ["v1"], "repository": "llama-cpp"}

    with pytest.raises(ImageError, match=says):
        of_image(account.services(), SETTINGS, "images.decision_base", "v1")


def test_tag_that_is_not_there_is_no_pin() -> None:
    """The repository and the tag are named."""
    with pytest.raises(ImageError, match="llama-cpp holds no image v9"):
        of_image(FakeAccount().services(), SETTINGS, "images.chat", "v9")


def test_revision_of_the_hub_becomes_its_commit() -> None:
    """A branch is asked for, and its commit is what may be written, if the file is the same there."""
    with fake_hub({AT_MAIN: _commit(NEW), AT_NEW: _commit(NEW)}) as url:
        update = of_hub(Hub(url), DEV, "model.source", "main")

    assert update == Update(("model", "source", "revision"), PINNED, NEW)


def test_other_model_at_a_revision_is_refused() -> None:
    """A revision alone never changes which bytes are pinned."""
    with (
        fake_hub({AT_MAIN: _commit(NEW), AT_NEW: _commit(NEW, sha256="0" * 64)}) as url,
        pytest.raises(UpdateError, match="it is another model, and its pin changes as one"),
    ):
        of_hub(Hub(url), DEV, "model.source", "main")


def test_pin_without_hub_has_no_revision() -> None:
    """An object of S3 is not updated by a revision, and an absent tokenizer neither."""
    for name in ("model.source", "model.tokenizer"):
        with pytest.raises(UpdateError, match="pins no revision of the hub"):
            of_hub(Hub(), SETTINGS, name, "main")


@pytest.mark.parametrize("url", ["http://hub.invalid", "file:///etc/passwd", "hub.invalid"])
def test_hub_is_asked_over_an_encrypted_connection_only(url: str) -> None:
    """What the hub states is only worth something if nobody on the way can write it."""
    with pytest.raises(HubError, match="must begin with https"):
        Hub(url)


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
