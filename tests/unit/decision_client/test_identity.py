"""Identity records, compared field by field."""

from typing import Any

import pytest

from decision_client.identity import Identity
from tests.unit.decision_client.samples import IDENTITY


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, ()),
        ({"threads": 4}, ("threads: 2 → 4",)),
        ({"device": "NVIDIA L4", "layers_offloaded": 3}, ("device: None → NVIDIA L4", "layers_offloaded: 0 → 3")),
        ({"gguf": {**IDENTITY["gguf"], "bytes": 8}}, ("gguf.bytes: 7 → 8",)),
        ({"driver": "580"}, ("driver: - → 580",)),
    ],
)
def test_differences_name_each_field(changed: dict[str, Any], said: tuple[str, ...]) -> None:
    """A nested field has its path, one that only a newer container sends a hyphen on the other side."""
    old, new = Identity.model_validate(IDENTITY), Identity.model_validate({**IDENTITY, **changed})

    assert old.differences(new) == said
