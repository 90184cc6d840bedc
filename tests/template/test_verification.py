from pathlib import Path

import pytest

from tests.template.synthesis import STACKS, Template, read, synthesize
from tests.unit.config.environment_files import changed

VERIFICATIONS = ("Custom::VerifiedModel", "Custom::PinnedImage")
CHECK = "Custom::CheckedEndpoint"
PROMPT = "016267542103ab91422c425d2234ec7e1b9aef77f9d3e481b96db2de7cca470a"
DIGEST = "1f19c220f5f169228f20cdddca00f4838be22a3a1ce9002bc444006adc3d6d43"


def _synthesized(folder: Path, *replacements: tuple[str, str]) -> dict[str, Template]:
    folder.mkdir()
    changed(folder, "dev", *replacements)
    assembly = synthesize("dev", folder / "out", folder)
    return {stack: read(assembly, "dev", stack) for stack in STACKS}


@pytest.mark.parametrize(
    ("kind", "replacement"),
    [("Custom::VerifiedModel", (PROMPT, "0" * 64)), ("Custom::PinnedImage", (DIGEST, "0" * 64))],
)
def test_changed_pin_is_verified_by_a_new_resource(tmp_path: Path, kind: str, replacement: tuple[str, str]) -> None:
    """A new resource is rolled back by a delete, which does nothing; an update would compare again and fail again."""
    before, after = _synthesized(tmp_path / "a"), _synthesized(tmp_path / "b", replacement)

    for stack in ("chat", "decision"):
        assert before[stack].only(kind)[0] != after[stack].only(kind)[0]
        (other,) = {*VERIFICATIONS} - {kind}
        # The decision image's tag is made of the base's digest, so both stacks' images change with that pin.
        assert before[stack].only(other)[0] == after[stack].only(other)[0]


def test_changed_handler_verifies_by_a_new_resource(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that was written anew is made again, and rolled back the same way."""
    before = _synthesized(tmp_path / "a")
    monkeypatch.setattr("constructs_lib.resource_provider.handler_version", lambda _handler: "f" * 16)
    after = _synthesized(tmp_path / "b")

    for kind in (*VERIFICATIONS, CHECK):
        assert before["chat"].only(kind)[0] != after["chat"].only(kind)[0]
