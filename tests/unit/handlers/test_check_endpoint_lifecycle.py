"""The check's lifecycle: every request is answered, ids stay, Delete asks nobody, and refusals fit the response."""

import pytest
from botocore.exceptions import EndpointConnectionError
from hypothesis import given
from hypothesis import strategies as st

from check_endpoint import Clients, on_event
from lifecycle import RefusedError
from tests.unit.handlers.archives import request, response_bytes
from tests.unit.handlers.fake_endpoint import FakeEndpoint, properties, refusal

FIELDS = st.sampled_from(["result", "model", "choices", "usage", "probabilities", "option_ids"])
ANSWERS = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(), lambda each: st.lists(each) | st.dictionaries(FIELDS, each)
)


def unreachable() -> Clients:
    """Stand for clients that must not be made."""
    raise AssertionError("clients were asked for")


def test_update_checks_like_a_create_and_keeps_the_id() -> None:
    """Whichever event brings a check, it is made; an update that passes keeps the id it came with."""
    created = on_event(request("Create", properties()), None, FakeEndpoint().clients)
    updated = on_event(request("Update", properties(), "the old id"), None, FakeEndpoint().clients)

    assert updated == created | {"PhysicalResourceId": "the old id"}


def test_update_of_an_endpoint_that_differs_is_refused() -> None:
    """An update is compared like a create."""
    fake = FakeEndpoint()
    fake.endpoint["EndpointConfigName"] = "other"

    with pytest.raises(RefusedError, match="EndpointConfigName"):
        on_event(request("Update", properties(), "the old id"), None, fake.clients)


@pytest.mark.parametrize(
    "physical_id",
    ["CheckedEndpoint", "made-up", "2026/11/29/[$LATEST]0123456789abcdef", "", "AWSCDK::X::CREATE_FAILED"],
)
def test_delete_succeeds_for_any_id_without_a_client(physical_id: str) -> None:
    """Delete comes with ids that were never issued, after the endpoint is gone too, and asks nobody."""
    event = request("Delete", {"anything": ["at", "all"]}, physical_id)

    assert on_event(event, None, unreachable) == {"PhysicalResourceId": physical_id}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"EndpointName": "-x"}, "EndpointName: '-x' does not match"),
        ({"EndpointConfigName": 7}, "EndpointConfigName: 7 does not match"),
        ({"EndpointConfig": "[]"}, "EndpointConfig"),
        ({"Model": "{'a': 1}"}, "Model: is no JSON"),
        ({"Answer": "{"}, "Answer"),
        ({"Answer": {}}, "Answer"),
        ({"Kind": "embedding"}, "Kind"),
        ({"Scaled": "True"}, "Scaled"),
        ({"Scaled": False}, "Scaled"),
        ({"HandlerVersion": ""}, "HandlerVersion"),
        ({"Extra": "x"}, "Extra: not a property of this resource"),
    ],
)
def test_malformed_property_is_refused_by_name_before_anything_is_asked(
    changes: dict[str, object], sentence: str
) -> None:
    """The sentence names the property, and no client is made."""
    with pytest.raises(RefusedError, match=sentence):
        on_event(request("Create", properties(changes=changes)), None, unreachable)


@pytest.mark.parametrize("kind", ["create", "", "Rollback"])
def test_unknown_request_is_refused(kind: str) -> None:
    """A request type outside the protocol is never taken for success."""
    with pytest.raises(RefusedError, match="RequestType"):
        on_event(request(kind, properties()), None, unreachable)


def test_service_that_cannot_be_reached_fails_the_create() -> None:
    """No failure of a client leads to silence or success."""

    class Gone(FakeEndpoint):
        def describe_model(self, *, ModelName: str) -> dict[str, object]:  # noqa: N803 - SageMaker's own spelling
            raise EndpointConnectionError(endpoint_url=f"https://sagemaker/{ModelName}")

    assert "EndpointConnectionError" in refusal(Gone())


def test_refusal_with_everything_wrong_fits_the_response() -> None:
    """However many fields differ, and however long they are, the first is named and the rest is cut."""
    fake = FakeEndpoint()
    fake.model["PrimaryContainer"]["Environment"] = {f"V{number}": "\N{CLOUD}" * 900 for number in range(90)}

    said = refusal(fake)

    assert 'Model.PrimaryContainer.Environment.SEMIF_THREADS: wanted "4", found nothing' in said


@given(st.dictionaries(st.text(max_size=50), st.text(max_size=4000) | st.integers() | st.lists(st.text()), max_size=9))
def test_any_properties_are_refused_with_a_sentence_that_fits(given_properties: dict[str, object]) -> None:
    """Whatever the properties are, the refusal is ours and short."""
    event = request("Create", given_properties)

    with pytest.raises(RefusedError) as refused:
        on_event(event, None, unreachable)

    assert response_bytes(event, str(refused.value)) <= 4096


@given(ANSWERS)
def test_any_answer_is_refused_with_a_sentence_that_fits(answer: object) -> None:
    """Whatever an endpoint answers, a check ends in one short sentence."""
    for kind in ("decision", "chat"):
        assert refusal(FakeEndpoint(answer=answer), properties(kind)).startswith("Endpoint semif-dev-decision ")
