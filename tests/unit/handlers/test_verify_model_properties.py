"""Properties of a verification: what is malformed is refused by name, before anything is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifecycle import RefusedError
from tests.unit.handlers.archives import (
    FakeStore,
    model_archive,
    properties,
    request,
    response_bytes,
)
from verify_model import on_event


def unreachable() -> FakeStore:
    """Stand for a client that must not be made."""
    raise AssertionError("Delete asked for a client")


def test_digests_in_upper_case_are_the_same_digests() -> None:
    """Hex has no case; the answer is in lower case."""
    given_properties = properties()
    for name in ("GgufSha256", "ManifestSha256"):
        given_properties[name] = str(given_properties[name]).upper()

    answered = on_event(request("Create", given_properties), None, lambda: FakeStore(model_archive()))

    assert answered == on_event(request("Create", properties()), None, lambda: FakeStore(model_archive()))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"GgufBytes": "0"}, "GgufBytes: '0' does not match"),
        ({"GgufBytes": "12a"}, "GgufBytes"),
        ({"GgufBytes": 12}, "GgufBytes: 12 does not match"),
        ({"GgufBytes": "true"}, "GgufBytes"),
        ({"GgufSha256": "a" * 63}, "GgufSha256"),
        ({"GgufSha256": "g" * 64}, "GgufSha256"),
        ({"ManifestSha256": "a" * 65}, "ManifestSha256"),
        ({"FurtherParts": f"5:{'a' * 64}"}, "FurtherParts: tiny.gguf is one of 1 files, given are 2"),
        ({"GgufFile": "tiny-00001-of-00002.gguf"}, "FurtherParts: .* is one of 2 files, given are 1"),
        ({"GgufFile": "../tiny.gguf"}, "GgufFile"),
        ({"GgufFile": ".tiny.gguf"}, "GgufFile"),
        ({"GgufFile": "tiny.bin"}, "GgufFile"),
        ({"GgufFile": "tiny.gguf\n"}, "GgufFile"),
        ({"Key": "reports/x.json"}, "Key"),
        ({"Packaging": "zip"}, "Packaging"),
        ({"Packaging": "uncompressed"}, "Key: .* is not that of a file tiny.gguf"),
        ({"Bucket": "Has Space"}, "Bucket"),
        ({"Bucket": None}, "Bucket: required property is missing"),
        ({"GgufSha": "a" * 64}, "GgufSha: not a property of this resource"),
    ],
)
def test_a_malformed_property_is_refused_by_name_before_anything_is_read(
    changes: dict[str, object], sentence: str
) -> None:
    """The sentence names the property, and S3 is not asked."""
    store = FakeStore(model_archive())

    with pytest.raises(RefusedError, match=sentence):
        on_event(request("Create", properties(changes=changes)), None, lambda: store)

    assert store.calls == 0


def test_properties_that_are_no_object_are_refused() -> None:
    """Even an event that is not CloudFormation's gets its sentence."""
    with pytest.raises(RefusedError, match="ResourceProperties"):
        on_event(request("Create", properties()) | {"ResourceProperties": "x"}, None, unreachable)


@given(st.dictionaries(st.text(max_size=50), st.text(max_size=4000) | st.integers() | st.lists(st.text()), max_size=9))
def test_any_properties_are_refused_with_a_sentence_that_fits(given_properties: dict[str, object]) -> None:
    """Whatever the properties are, the refusal is ours and short."""
    event = request("Create", given_properties)

    with pytest.raises(RefusedError) as refused:
        on_event(event, None, unreachable)

    assert response_bytes(event, str(refused.value)) <= 4096
