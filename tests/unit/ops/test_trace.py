"""The chain from a running endpoint to the file, and every link that can break."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from config.loader import ENVIRONMENTS_DIRECTORY
from config.split_set import ModelPart
from ops.checkout import Checkout
from ops.endpoints.trace import trace
from ops.report import Line, State
from tests.unit.ops.fake_account import BUCKET, DECISION_DIGEST, KEY_OF_MODEL, SETTINGS, TAG, FakeAccount
from tests.unit.ops.packed import packed_archive

FILE = ENVIRONMENTS_DIRECTORY / "local.toml"
OTHER = "0" * 64


class FakeCheckout(Checkout):
    """A repository whose one commit holds everything."""

    def is_repository(self) -> bool:
        """Say yes."""
        return True

    def commit(self, paths: object) -> str:
        """Name it."""
        assert paths
        return "c" * 40


def _traced(act: Callable[[FakeAccount], object] = lambda _: None, *, read: bool = False) -> dict[str, Line]:
    account = FakeAccount()
    act(account)
    return {line.subject: line for line in trace(account.services(), SETTINGS, FILE, FakeCheckout(), read=read)}


def test_every_link_of_a_healthy_environment_holds() -> None:
    """From both endpoints to the pins of the file, the content of the checkout, its commit and the model's source."""
    lines = _traced()

    assert {line.state for line in lines.values()} == {State.OK}
    assert lines["decision image"].says.endswith(DECISION_DIGEST)
    assert lines["decision content"].says.startswith(TAG)
    assert SETTINGS.images.decision_base.digest in lines["decision base pin"].says
    assert lines["chat model key"].says == KEY_OF_MODEL
    assert lines["chat archive"].says == f"SHA-256 {'e' * 64}, verified at deployment"
    assert lines["chat GGUF"].says == f"model.sha256 = {SETTINGS.model.sha256}"
    assert lines["decision source"].says == "s3://semif-local-models/SmolLM2-135M-Instruct.Q4_1.gguf"
    assert lines["commit"].says == "c" * 40


BREAKS: dict[str, tuple[Callable[[FakeAccount], object], str, str]] = {
    "endpoint": (lambda a: a.endpoints.clear(), "chat endpoint", "Could not find"),
    "not in service": (
        lambda a: a.endpoints.update({"semif-local-chat": "Failed"}),
        "chat configuration",
        "is Failed: why",
    ),
    "tagged image": (lambda a: a.image.update(chat="registry/llama-cpp:latest"), "chat image", "names no digest"),
    "chat image": (
        lambda a: a.image.update(chat="registry/llama-cpp@sha256:other"),
        "chat image",
        "image digest → file: runs sha256:other",
    ),
    "content": (
        lambda a: a.images[DECISION_DIGEST].update(tags=["f"]),
        "decision image",
        "image digest → content",
    ),
    "container's image": (lambda a: a.says.update(image_digest="sha256:x"), "decision image", "→ container"),
    "container's GGUF": (lambda a: a.says.update(gguf={"sha256": OTHER}), "decision image", "container → model.sha256"),
    "base": (lambda a: a.images.pop(SETTINGS.images.decision_base.digest), "decision image", "holds no image"),
    "model key": (
        lambda a: a.model_url.update(decision="s3://somewhere/model.tar.gz"),
        "decision model",
        "is not a key made of content",
    ),
    "verified GGUF": (lambda a: a.stacks["chat"].update(GgufSha256=OTHER), "chat model", "archive → GGUF"),
    "pinned GGUF": (
        lambda a: (
            a.stacks["chat"].update(GgufSha256=OTHER),
            a.model_url.update(chat=f"s3://{BUCKET}/{KEY_OF_MODEL.replace(SETTINGS.model.sha256, OTHER)}"),
        ),
        "chat model",
        "model key → GGUF",
    ),
    "manifest": (
        lambda a: a.model_url.update(chat=f"s3://{BUCKET}/models/{SETTINGS.model.sha256}/{OTHER}/model.tar.gz"),
        "chat model",
        "model key → manifest",
    ),
}


@pytest.mark.parametrize("link", BREAKS)
def test_broken_link_is_named_and_is_an_error(link: str) -> None:
    """The line says which link does not hold and what both its ends are."""
    act, subject, says = BREAKS[link]

    line = _traced(act)[subject]

    assert line.state is State.WRONG
    assert says in line.says


def test_read_archive_is_hashed_here() -> None:
    """Bytes that are not the pinned ones break the chain, whatever was verified when they were deployed."""
    swapped = packed_archive(b"another model")

    line = _traced(lambda account: account.objects.update({(BUCKET, KEY_OF_MODEL): swapped}), read=True)["chat model"]

    found = hashlib.sha256(b"another model").hexdigest()
    assert line.says == f"archive → GGUF: read just now, it holds {found}, its key names {SETTINGS.model.sha256}"


def test_archive_that_is_another_one_than_was_verified_breaks_the_chain() -> None:
    """Even if it holds the pinned model: nobody verified its other bytes."""
    packed, model = packed_archive(b"model"), hashlib.sha256(b"model").hexdigest()
    key = KEY_OF_MODEL.replace(SETTINGS.model.sha256, model)

    def repack(account: FakeAccount) -> None:
        account.objects[BUCKET, key] = packed
        account.model_url["chat"] = f"s3://{BUCKET}/{key}"

    line = _traced(repack, read=True)["chat model"]

    found = hashlib.sha256(packed).hexdigest()
    assert line.says == f"model key → archive: is {found} now, {'e' * 64} was verified"


PARTS = (ModelPart(file="b.gguf", bytes=1, sha256=hashlib.sha256(b"part").hexdigest()),)


def _split(part: bytes, says: list[dict[str, Any]]) -> dict[str, Line]:
    """Trace an environment whose model has a further part, its archive read."""
    model = b"model"
    pin = SETTINGS.model.model_copy(update={"sha256": hashlib.sha256(model).hexdigest(), "parts": PARTS})
    settings, account = SETTINGS.model_copy(update={"model": pin}), FakeAccount()
    packed = packed_archive(model, {"b.gguf": part})
    for kind in ("chat", "decision"):
        account.stacks[kind].update(GgufSha256=pin.sha256, ArchiveSha256=hashlib.sha256(packed).hexdigest())
        account.model_url[kind] = f"s3://{BUCKET}/{pin.object_key}"
    account.objects[BUCKET, pin.object_key] = packed
    account.says["gguf"] = {"sha256": pin.sha256, "parts": says}
    return {line.subject: line for line in trace(account.services(), settings, FILE, FakeCheckout(), read=True)}


def test_every_part_of_a_split_model_is_a_link() -> None:
    """In the archive as it is read, and in what the container says that it serves."""
    told = [part.model_dump() for part in PARTS]

    right, other = _split(b"part", told), _split(b"other", told)
    silent = _split(b"part", [])

    assert {line.state for line in right.values()} == {State.OK}
    assert "archive → b.gguf: read just now, it is" in other["chat model"].says
    assert silent["decision image"].says == "container → model.parts: it serves none"
