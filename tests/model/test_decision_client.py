"""The decision client and the container as a process, by its URL."""

import contextlib
import signal
from pathlib import Path

import pytest

from decision_client.client import DecisionClient
from decision_client.definition import DecisionDefinition, Option
from decision_client.errors import NotConnectedError
from decision_client.http_transport import HttpTransport
from tests.model.process import SMOLLM2_PROMPT, environment, serving

pytestmark = pytest.mark.model
ANGRY = DecisionDefinition(
    name="angry",
    version="1",
    type="noul",
    question="Is the customer angry?",
    options=(Option(id="yes", description="Angry."), Option(id="no", description="Not angry.")),
)


def test_container_answers_the_client_until_it_is_gone(models: dict[str, Path]) -> None:
    """Alone and with others a question has the same bits; when the process was killed, nothing answers any more."""
    variables = environment(models["hybrid"], SMOLLM2_PROMPT)
    slept: list[float] = []
    transport = HttpTransport(f"http://127.0.0.1:{variables['SEMIF_PORT']}")
    client = DecisionClient(transport, sleep=slept.append)
    with serving(variables) as container:
        alone = client.decide(ANGRY, "The parcel is late.", decision_id="a")
        shared = client.decide_many({"b": ANGRY, "a": ANGRY}, "The parcel is late.")
        container.signal(signal.SIGKILL)
        container.wait()
        with pytest.raises(NotConnectedError) as caught:
            client.decide(ANGRY, "The parcel is late.", decision_id="a")

    assert [each.answer.option_logits for each in shared.values()] == [alone.answer.option_logits] * 2
    assert alone.answer.model.serving_path == "canonical"
    assert (caught.value.attempts, len(slept)) == (2, 1)


def test_container_that_comes_back_between_two_attempts_answers(models: dict[str, Path]) -> None:
    """Who asked while it was being replaced waits once and has an answer."""
    variables = environment(models["hybrid"], SMOLLM2_PROMPT)
    transport = HttpTransport(f"http://127.0.0.1:{variables['SEMIF_PORT']}")
    with contextlib.ExitStack() as stack:

        def replace(_seconds: float) -> None:
            stack.enter_context(serving(variables))

        decision = DecisionClient(transport, sleep=replace).decide(ANGRY, "The parcel is late.", decision_id="a")

    assert decision.answer.option_ids == ("yes", "no")
