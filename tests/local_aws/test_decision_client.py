"""The decision client against the deployed endpoint, by its name and with the SDK as an application has it."""

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import boto3
import pytest

from decision_client.client import DecisionClient
from decision_client.definition import DecisionDefinition, Option
from decision_client.errors import EndpointNotFoundError, InvalidRequestError, NotAllowedError
from decision_client.identity import Identity
from decision_client.outcome import Action
from decision_client.policy import Binding, DecisionPolicy
from decision_client.sagemaker_transport import SageMakerTransport
from local_aws.questions import DECISION, Answers
from local_aws.session import Address
from ops.ask import RUNTIME_CONFIG, SUPPORT_ROUTE
from tests.unit.decision_client.samples import policy

if TYPE_CHECKING:
    from decision_client.decided import Decided

pytestmark = pytest.mark.local_aws
STATE = SUPPORT_ROUTE["state"]
ROUTE = DecisionDefinition(
    name="support-route",
    version="1",
    question=str(SUPPORT_ROUTE["question"]),
    options=tuple(Option.model_validate(each) for each in SUPPORT_ROUTE["options"]),
)
CLIENTS = 12


@pytest.fixture(autouse=True)
def application(address: Address, answers: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of an application of the account, after the deployment."""
    assert answers
    for name, value in address.environment().items():
        if name.startswith("AWS_"):
            monkeypatch.setenv(name, value)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)


def covering(answers: Answers) -> DecisionPolicy:
    """A policy for what is deployed, acting on everything."""
    identity = Identity.model_validate(answers.decision["model"])
    return policy(
        definition=ROUTE.reference,
        binding=Binding.of(identity),
        runtimes=(identity.runtime,),
        act=0.0,
        review=0.0,
        min_mass=0.0,
        min_margin=0.0,
    )


@pytest.mark.rule(
    "An application asks the deployed endpoint and acts on answers by a policy for exactly what is deployed",
    tool="boto3, the decision container, libllama v0.5.0",
    emulated="the SageMaker runtime",
)
def test_deployed_endpoint_is_asked_and_its_answer_judged(answers: Answers) -> None:
    """The logits are those that anybody gets; a policy for this model acts, one for another does not."""
    covers = covering(answers)
    other = covers.model_copy(update={"binding": covers.binding.model_copy(update={"gguf_sha256": "f" * 64})})

    acted, reviewed = (
        DecisionClient(SageMakerTransport(DECISION), policies=[each]).decide(ROUTE, STATE, decision_id="d1")
        for each in (covers, other)
    )

    assert list(acted.answer.option_logits) == answers.decision["option_logits"]
    assert acted.answer.prompt_sha256 == answers.decision["prompt_sha256"]
    assert acted.outcome.action is Action.ACT
    assert (reviewed.outcome.action, reviewed.outcome.mismatch) == (Action.REVIEW, "binding.gguf_sha256")


def test_busy_endpoint_answers_everybody_in_the_end(answers: Answers) -> None:
    """More callers than places are all answered once, the same, and those who were refused were asked to wait."""
    told: list[Decided] = []
    client = DecisionClient(SageMakerTransport(DECISION), deadline_seconds=300, on_decision=told.append)

    with ThreadPoolExecutor(CLIENTS) as pool:
        decisions = list(pool.map(lambda n: client.decide(ROUTE, STATE, decision_id=f"d{n}"), range(2 * CLIENTS)))

    assert [decision.answer.id for decision in decisions] == [f"d{number}" for number in range(2 * CLIENTS)]
    assert {decision.answer.option_logits for decision in decisions} == {tuple(answers.decision["option_logits"])}
    assert sorted(each.asked.id for each in told) == sorted(f"d{number}" for number in range(2 * CLIENTS))
    assert sum(each.refusals for each in told) > 0
    assert all(each.attempts == 1 + each.refusals for each in told)


def stranger_of(address: Address) -> SageMakerTransport:
    """The way to the endpoint with the key of a user who has no permission."""
    iam = address.client("iam")
    iam.create_user(UserName="stranger")
    key = iam.create_access_key(UserName="stranger")["AccessKey"]
    given = (key["AccessKeyId"], key["SecretAccessKey"])
    return SageMakerTransport(DECISION, client=address.client("sagemaker-runtime", key=given, config=RUNTIME_CONFIG))


def test_refusals_arrive_through_the_service(address: Address) -> None:
    """Too many questions, an endpoint that is not there, and a caller who may not ask are told apart."""
    client = DecisionClient(SageMakerTransport(DECISION))

    with pytest.raises(InvalidRequestError) as many:
        client.decide_many({f"d{number}": ROUTE for number in range(9)}, STATE)
    with pytest.raises(EndpointNotFoundError):
        DecisionClient(SageMakerTransport("nowhere")).decide(ROUTE, STATE, decision_id="d1")
    with pytest.raises(NotAllowedError) as stranger:
        DecisionClient(stranger_of(address)).decide(ROUTE, STATE, decision_id="d1")

    assert (many.value.code, many.value.status, many.value.attempts) == ("too_many", 400, 1)
    assert stranger.value.code == "AccessDeniedException"
