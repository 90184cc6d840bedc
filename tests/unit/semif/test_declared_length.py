"""Which headers announce a body of which length."""

import pytest

from semif.decision import RequestError
from semif.wire import declared_length


@pytest.mark.parametrize(
    "length", ["", "0", "000", "-1", "+1", " 1", "1 ", "1_0", "1.0", "1e1", "0x1", "²", "٣", "1, 1", "\x00"]
)
def test_a_length_that_is_no_positive_decimal_number_is_none(length: str) -> None:
    """Digits of other scripts, signs, blanks and separators, which `int` might take, are no length."""
    with pytest.raises(RequestError) as refused:
        declared_length({"content-type": "application/json", "content-length": length}, 100)

    assert refused.value.code == "no_content_length"


@pytest.mark.parametrize(
    ("length", "bytes_"), [("1", 1), ("100", 100), ("0100", 100), ("101", None), ("9" * 5000, None)]
)
def test_a_length_up_to_the_limit_is_taken(length: str, bytes_: int | None) -> None:
    """The limit itself is allowed, one byte more is not, however it is written."""
    headers = {"content-type": "Application/JSON ; charset=utf-8", "content-length": length}

    if bytes_:
        assert declared_length(headers, 100) == bytes_
    else:
        with pytest.raises(RequestError) as refused:
            declared_length(headers, 100)
        assert refused.value.code == "body_too_large"
        assert len(refused.value.message) < 100
