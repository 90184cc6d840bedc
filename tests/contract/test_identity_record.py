"""The identity record is the same in the container and in the client."""

import dataclasses

from pydantic import BaseModel

from decision_client import identity as client
from semif import identity as container
from semif.split_set import PinnedFile


def _fields(model: type[BaseModel]) -> set[str]:
    return set(model.model_fields)


def test_identity_record_has_the_same_fields_in_container_and_client() -> None:
    """The rooms cannot import each other, so a test holds their two definitions together."""
    pairs: list[tuple[type[BaseModel], type]] = [
        (client.Identity, container.Identity),
        (client.Gguf, container.Gguf),
        (client.GgufPart, PinnedFile),
        (client.Tokenizer, container.Tokenizer),
        (client.LlamaCpp, container.LlamaCpp),
    ]
    for ours, theirs in pairs:
        assert _fields(ours) == {field.name for field in dataclasses.fields(theirs)}
