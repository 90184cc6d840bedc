"""The list of wheels beside an image is held against the lock that the image was built from."""

import pytest

from tests.image.failure import StepFailedError
from tests.image.published import check_wheels

LOCK = f"""\
annotated-types==0.8.0 \\
    --hash=sha256:{"a" * 64} \\
    --hash=sha256:{"b" * 64}
    # via pydantic
numpy==2.4.6 \\
    --hash=sha256:{"c" * 64}
"""


def _wheel(name: str, digit: str) -> dict[str, str]:
    return {"name": name, "version": "1", "file": f"{name}-1.whl", "sha256": digit * 64}


def test_a_list_of_locked_wheels_is_accepted() -> None:
    """One of a requirement's locked files is enough, and names are compared as the index compares them."""
    check_wheels([_wheel("Annotated_Types", "b"), _wheel("numpy", "c")], LOCK)


@pytest.mark.parametrize(
    ("listed", "sentence"),
    [
        ([_wheel("numpy", "c")], r"names \['numpy'\]; locked are \['annotated-types', 'numpy'\]"),
        ([_wheel("annotated-types", "a"), _wheel("numpy", "c"), _wheel("x", "a")], "names"),
        ([_wheel("annotated-types", "c"), _wheel("numpy", "c")], "annotated-types-1.whl is listed with a digest"),
    ],
)
def test_a_list_with_a_gap_or_another_file_is_refused(listed: list[dict[str, str]], sentence: str) -> None:
    """What runs can be traced back to a locked file, or the test fails."""
    with pytest.raises(StepFailedError, match=sentence):
        check_wheels(listed, LOCK)
