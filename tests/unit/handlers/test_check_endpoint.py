"""An endpoint that runs something else than its stack asked for fails the deployment, by the field that differs."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from check_endpoint import on_event
from tests.unit.handlers.archives import request
from tests.unit.handlers.changed_json import JSON, at, paths, put, same
from tests.unit.handlers.fake_endpoint import (
    CONFIG,
    MODEL,
    FakeEndpoint,
    completion,
    properties,
    refusal,
)


def test_endpoint_that_runs_and_answers_as_asked_passes() -> None:
    """The answer says what serves, which no pin knows, and nothing was waited for."""
    fake = FakeEndpoint()

    answered = on_event(request("Create", properties()), None, fake.clients)

    serves = "qwen3.5-4b-q4-k-m, llama.cpp b10433, CUDA0, 37 of 37 layers on NVIDIA L40S, 4 threads"
    assert answered == {"PhysicalResourceId": "VerifiedModelResource5B2F1A7C", "Data": {"Serves": serves}}
    assert fake.slept == []
    assert [json.loads(body)["decision"]["id"] for body in fake.asked] == ["support-route"]


def test_chat_endpoint_that_completes_passes() -> None:
    """The chat endpoint is asked a question of its own, at temperature 0 and for few tokens."""
    fake = FakeEndpoint(answer=completion())

    answered = on_event(request("Create", properties("chat")), None, fake.clients)

    assert answered["Data"] == {"Serves": "Qwen.gguf, llama.cpp b10433-9b05354e"}
    (asked,) = map(json.loads, fake.asked)
    assert (asked["temperature"], asked["max_tokens"], asked["stream"]) == (0, 16, False)


@pytest.mark.rule(
    "a deployed endpoint that runs anything else than its template asks for is refused, by the field",
    tool="the handler, driven directly",
    emulated="what SageMaker describes",
)
@given(st.data())
def test_any_changed_property_of_configuration_or_model_is_refused_by_name(data: st.DataObject) -> None:
    """Whichever property of the template has another value where SageMaker describes it, the sentence names it."""
    kind, wanted = data.draw(st.sampled_from([("EndpointConfig", CONFIG), ("Model", MODEL)]))
    path = data.draw(st.sampled_from([*paths(json.loads(json.dumps(wanted)))]))
    other = data.draw(JSON.filter(lambda value: not same(value, at(wanted, path))))
    fake = FakeEndpoint()
    put(fake.config if kind == "EndpointConfig" else fake.model, path, other)

    said = refusal(fake)

    assert said.startswith("Endpoint semif-dev-decision does not run what was deployed: ")
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    assert f"{kind}{field}: wanted {json.dumps(at(wanted, path))}, found {json.dumps(other)}" in said
    assert fake.asked == []


@pytest.mark.parametrize(
    ("where", "name"),
    [(place, name) for place, wanted in (("model", MODEL), ("config", CONFIG)) for name in wanted],
)
def test_property_that_is_not_described_is_refused(where: str, name: str) -> None:
    """What was asked for and is not told is a difference too."""
    fake = FakeEndpoint()
    del getattr(fake, where)[name]

    assert f"{name}: wanted" in refusal(fake)
    assert "found nothing" in refusal(fake)


def test_variable_that_nobody_asked_for_is_refused() -> None:
    """A container's environment is exactly the template's: one more variable is another container."""
    fake = FakeEndpoint()
    fake.model["PrimaryContainer"]["Environment"]["SEMIF_BRANCHES"] = "4"

    assert 'Environment.SEMIF_BRANCHES: wanted nothing, found "4"' in refusal(fake)


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        ("model", "VpcConfig", {"Subnets": ["subnet-1"], "SecurityGroupIds": ["sg-1"]}),
        ("model", "Containers", [{"Image": "other"}]),
        ("config", "DataCaptureConfig", {"EnableCapture": True}),
        ("config", "AsyncInferenceConfig", {"OutputConfig": {}}),
        ("config", "ShadowProductionVariants", [{"VariantName": "other"}]),
    ],
)
def test_what_changes_answers_or_copies_them_is_refused_where_nobody_asked(
    where: str, name: str, value: object
) -> None:
    """Captured data, another network or a second fleet has no default: somebody asked for it, but not this stack."""
    fake = FakeEndpoint()
    getattr(fake, where)[name] = value

    assert f"{name}: wanted nothing" in refusal(fake)


def test_fields_of_the_service_s_own_are_no_difference() -> None:
    """ARNs, times and defaults that SageMaker adds are not compared."""
    fake = FakeEndpoint()
    fake.model["PrimaryContainer"]["Mode"] = "SingleModel"
    fake.config["ProductionVariants"][0]["EnableSSMAccess"] = False

    assert on_event(request("Create", properties()), None, fake.clients)["Data"]


def test_subnets_and_groups_are_compared_as_sets() -> None:
    """Nobody promises the order in which they are described; another member is a difference."""
    network = {"Subnets": ["subnet-1", "subnet-2"], "SecurityGroupIds": ["sg-1"]}
    event = properties(changes={"Model": json.dumps({**MODEL, "VpcConfig": network})})
    fake = FakeEndpoint()
    fake.model["VpcConfig"] = {"Subnets": ["subnet-2", "subnet-1"], "SecurityGroupIds": ["sg-1"]}
    assert on_event(request("Create", event), None, fake.clients)["Data"]

    fake.model["VpcConfig"] = {"Subnets": ["subnet-2", "subnet-3"], "SecurityGroupIds": ["sg-1"]}
    assert 'Model.VpcConfig.Subnets[0]: wanted "subnet-1", found "subnet-2"' in refusal(fake, event)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"EndpointStatus": "Failed"}, 'Endpoint.EndpointStatus: wanted "InService", found "Failed"'),
        (
            {"EndpointConfigName": "InferenceEndpointConfig-old"},
            'EndpointConfigName: wanted "InferenceEndpointConfig-Ab12", found "InferenceEndpointConfig-old"',
        ),
    ],
)
def test_endpoint_that_went_back_is_refused_without_being_asked(change: dict[str, str], said: str) -> None:
    """SageMaker's own rollback leaves an endpoint in service with the old configuration: that is no success."""
    fake = FakeEndpoint()
    fake.endpoint |= change

    assert said in refusal(fake)
    assert fake.asked == []
