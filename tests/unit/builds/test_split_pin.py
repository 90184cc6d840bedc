"""The pin of a set is a set, or refused before anything is fetched."""

from typing import Any

import pytest

from model_pin import PackagingError
from project_environment import read_pin
from tests.unit.builds.pinned_set import SECOND, THIRD, variables
from tests.unit.builds.pins import REVISION


def of(name: str, **changes: object) -> dict[str, Any]:
    """A part in a manifest."""
    return {"file": name, "bytes": 5, "sha256": "d" * 64} | changes


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"parts": []}, f"its parts must be {SECOND}, {THIRD}"),
        ({"parts": [of(THIRD), of(SECOND)]}, f"its parts must be {SECOND}, {THIRD}"),
        ({"parts": [of(SECOND), of(THIRD, bytes="5")]}, "each with bytes and sha256"),
        ({"parts": [of(SECOND), of(THIRD, bytes=True)]}, "each with bytes and sha256"),
        ({"parts": [of(SECOND), of(THIRD, bytes=0)]}, "each with bytes and sha256"),
        ({"parts": [of(SECOND), of(THIRD, sha256="D" * 64)]}, "each with bytes and sha256"),
        ({"parts": [of(SECOND), of(THIRD, sha256=5)]}, "its parts are malformed"),
        ({"parts": [of(SECOND), {"file": THIRD}]}, "its parts are malformed"),
        ({"parts": [SECOND, THIRD]}, "its parts are malformed"),
        ({"parts": 5}, "its parts are malformed"),
    ],
)
def test_a_manifest_whose_parts_are_no_set_is_refused(
    changes: dict[str, object], sentence: str, parts: dict[str, bytes]
) -> None:
    """Before anything is fetched."""
    with pytest.raises(PackagingError, match="MANIFEST: its parts") as refused:
        read_pin(variables(parts, changes=changes))

    assert sentence in str(refused.value)


@pytest.mark.parametrize("folder", ["/q4", "q4/", "../q4", "q4//deep", "a/b/c/d/e"])
def test_a_folder_that_is_none_is_refused(folder: str, parts: dict[str, bytes]) -> None:
    """It becomes a part of an address."""
    changes = {
        "MODEL_SOURCE_KIND": "huggingface",
        "MODEL_SOURCE_REPOSITORY": "semif/tiny-GGUF",
        "MODEL_SOURCE_REVISION": REVISION,
        "MODEL_SOURCE_FOLDER": folder,
    }

    with pytest.raises(PackagingError, match=r"MODEL_SOURCE_FOLDER: .* does not match"):
        read_pin(variables(parts) | changes)


def test_a_later_part_is_no_first_one(parts: dict[str, bytes]) -> None:
    """The key is that of the first file."""
    with pytest.raises(PackagingError, match=f"MODEL_FILE: {SECOND} is not the first part of its set"):
        read_pin(variables(parts, changes={"file": SECOND}) | {"MODEL_FILE": SECOND})
