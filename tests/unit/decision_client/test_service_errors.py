"""What the service's errors stand for."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision_client.errors import DecisionError, EndpointBusyError, EndpointNotFoundError, ModelFailureError
from decision_client.refusal import refusal
from decision_client.service_errors import reply_of
from decision_client.transport import Reply


def response(code: str, message: str | None = "", status: int = 400, **members: Any) -> dict[str, Any]:
    """An error as the SDK gives it."""
    return {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": status},
        **members,
    }


def raised(given: dict[str, Any]) -> DecisionError:
    """The exception that an error ends as."""
    reply = reply_of(given)
    return refusal(reply) if isinstance(reply, Reply) else reply


def test_throttling_without_a_message_is_busy() -> None:
    """The service throttles with status 400 and says nothing more."""
    error = raised(response("ThrottlingException", None))

    assert (type(error), error.status, error.code) == (EndpointBusyError, 429, "ThrottlingException")


@pytest.mark.parametrize(
    "code",
    [
        "ModelNotReadyException",
        "RequestLimitExceeded",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "Throttling",
        "ThrottledException",
        "ThrottlingException",
        "TooManyRequestsException",
    ],
)
@pytest.mark.parametrize("status", [400, 429, 500, 503])
def test_lack_of_capacity_is_known_by_the_services_word(code: str, status: int) -> None:
    """Whatever status stands beside it."""
    error = raised(response(code, "Rate exceeded", status))

    assert (type(error), error.code) == (EndpointBusyError, code)


@pytest.mark.parametrize("status", [0, None, 200])
def test_invocation_without_an_answer_in_time_is_a_failure(status: int | None) -> None:
    """The service calls the status of a container that did not answer 0; whatever comes as an error is no answer."""
    error = raised(response("ModelError", "x", 424, OriginalStatusCode=status, OriginalMessage='{"result": {}}'))

    assert (type(error), error.status) == (ModelFailureError, 504)


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Endpoint a-b of account 123456789012 not found.", False),
        ("Could not find variant x for endpoint a-b", True),
        ("1 validation error detected: the body says: Endpoint not found", True),
    ],
)
def test_endpoint_that_is_not_there_is_known_by_the_services_sentence(message: str, *, found: bool) -> None:
    """Only the service's own sentence counts, from its beginning; everything else of this code is a request's fault."""
    assert isinstance(raised(response("ValidationError", message)), EndpointNotFoundError) is not found


@given(
    code=st.sampled_from(["ModelError", "ValidationError", "InternalFailure"]) | st.text(max_size=20),
    status=st.integers(300, 599),
    original=st.none() | st.integers(0, 599),
    said=st.text(st.characters(exclude_categories=()), max_size=30),
)
def test_any_error_of_the_service_becomes_an_exception(code: str, status: int, original: int | None, said: str) -> None:
    """Whatever it holds, one of ours comes out."""
    given_error = response(code, said, status, OriginalStatusCode=original, OriginalMessage=said)

    assert isinstance(raised(given_error), DecisionError)
