"""An archive handed to the verification, and what it says."""

from collections.abc import Mapping
from types import MappingProxyType

import verify_model
from lifecycle import RefusedError
from tests.unit.handlers.archives import (
    GGUF,
    FakeStore,
    manifest_of,
    member,
    model_archive,
    properties,
    request,
)

GGUF_MEMBER = member("tiny.gguf", GGUF)
MANIFEST_MEMBER = member("model-manifest.json", manifest_of(GGUF))
RIGHT = model_archive()


def refusal(
    archive: bytes, changes: Mapping[str, object] = MappingProxyType({}), store: FakeStore | None = None
) -> str:
    """Return the sentence that refuses an archive, or nothing when it is accepted."""
    store = store or FakeStore(archive)
    try:
        verify_model.on_event(request("Create", properties(changes=changes)), None, lambda: store)
    except RefusedError as error:
        return str(error)
    return ""
