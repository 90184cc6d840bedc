"""The identity record names every byte of the model, in however many files it is."""

from typing import Any

from decision_client.identity import Identity
from decision_client.policy import Binding
from tests.unit.decision_client.samples import IDENTITY

PART: dict[str, Any] = {"file": "tiny-00002-of-00002.gguf", "bytes": 5, "sha256": "e" * 64}


def identity(*parts: dict[str, Any]) -> Identity:
    """A record of a model with further parts."""
    return Identity.model_validate(IDENTITY | {"gguf": {**IDENTITY["gguf"], **({"parts": parts} if parts else {})}})


def test_record_of_one_file_is_as_it_is_sent() -> None:
    """Its digest does not know of parts, and the model is named by the file's own."""
    assert identity().model_dump(mode="json")["gguf"] == IDENTITY["gguf"]
    assert Binding.of(identity()).gguf_sha256 == IDENTITY["gguf"]["sha256"]


def test_other_part_is_another_model() -> None:
    """A policy that was made for the one does not act on the other, although the first files are the same."""
    one, other = identity(PART), identity(PART | {"sha256": "f" * 64})

    assert one.sha256 != other.sha256
    assert len({Binding.of(each).gguf_sha256 for each in (identity(), one, other)}) == 3
    assert one.model_dump(mode="json")["gguf"]["parts"] == [PART]
