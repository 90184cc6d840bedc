"""The pins of an environment's file, compared with what they name."""

from typing import Any

import pytest

from config.settings import Settings
from ops.pins.draft import Draft
from ops.pins.hub import Hub
from ops.pins.lookup import look_up
from ops.report import Line, State
from tests.unit.ops.fake_account import SETTINGS, FakeAccount, error
from tests.unit.ops.fake_hub import fake_hub
from tests.unit.ops.hub_answers import AT_PIN, DEV, HEALTHY, NEW, SET, commit, set_on_hub, split_set


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
        ({AT_PIN: commit(NEW, size=1)}, "has 1 bytes, 3013027808 are pinned"),
        ({AT_PIN: commit(NEW, sha256="0" * 64)}, "has SHA-256 000"),
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


def test_every_part_of_a_set_is_compared() -> None:
    """In the repository's folder; the part that differs is named."""
    right = _looked_up(FakeAccount(), split_set("huggingface"), HEALTHY | {AT_PIN: set_on_hub()})["model.source"]
    wrong = _looked_up(FakeAccount(), split_set("huggingface"), HEALTHY | {AT_PIN: set_on_hub(8)})["model.source"]

    assert right.says.endswith(f"/q4/{SET[0]} and 1 further parts: size and SHA-256 are the pinned ones")
    assert wrong.state is State.WRONG
    assert f"/q4/{SET[1]} has 8 bytes, 7 are pinned" in wrong.says


def test_every_part_of_a_set_is_looked_for_in_its_bucket() -> None:
    """Beside the first."""
    account, settings = FakeAccount(), split_set("s3")
    account.objects.update({("models", f"q4/{name}"): bytes(size) for name, size in zip(SET, (5, 6), strict=True)})
    settings = settings.model_copy(update={"model": settings.model.model_copy(update={"bytes": 5})})

    line = _looked_up(account, settings, HEALTHY)["model.source"]

    assert line.state is State.WRONG
    assert line.says == f"s3://models/q4/{SET[1]} has 6 bytes, 7 are pinned"


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
