import datetime as dt
import io
import json
from typing import Any

import pytest

from config.loader import load
from ops.endpoints.running import Clients, Running, running
from tests.unit.ops.fake_stacks import FakeStacks

DIGEST, GGUF = "sha256:" + "a" * 64, "b" * 64
OUTPUTS = {"ImageUri": f"registry/repository@{DIGEST}", "ModelDataUrl": "s3://b/k", "GgufSha256": GGUF}
STACKS = {f"semif-dev-{kind}": {**OUTPUTS, "EndpointName": f"semif-dev-{kind}"} for kind in ("chat", "decision")}


class FakeSageMaker:
    """Both endpoints, in one state, on a pool."""

    def __init__(self, status: str) -> None:
        self.status = status

    def describe_endpoint(self, *, EndpointName: str) -> dict[str, Any]:  # noqa: N803 - boto3's spelling
        """Return an endpoint."""
        changed = dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
        return {"EndpointStatus": self.status, "EndpointConfigName": EndpointName, "LastModifiedTime": changed}

    def describe_endpoint_config(self, *, EndpointConfigName: str) -> dict[str, Any]:  # noqa: N803 - boto3's spelling
        """Return a configuration."""
        pools = [{"InstanceType": "ml.a"}, {"InstanceType": "ml.b"}]
        return {"ProductionVariants": [{"InstancePools": pools, "InitialInstanceCount": 2, "Of": EndpointConfigName}]}


class FakeRuntime:
    """A decision endpoint that says what it is."""

    def __init__(self, digest: str, sha256: str) -> None:
        self.model = {"image_digest": digest, "gguf": {"sha256": sha256}}

    def invoke_endpoint(self, **_: object) -> dict[str, Any]:
        """Answer any decision."""
        return {"Body": io.BytesIO(json.dumps({"result": {"model": self.model}}).encode())}


def _running(status: str = "InService", digest: str = DIGEST, sha256: str = GGUF) -> list[Running]:
    stacks: Any = FakeStacks(STACKS)
    sagemaker: Any = FakeSageMaker(status)
    runtime: Any = FakeRuntime(digest, sha256)
    return running(Clients(stacks, sagemaker, runtime), load("dev"))


def test_what_runs_as_deployed_has_no_difference() -> None:
    """Name, state, machines, image and model of both endpoints are told, and what the decision container says."""
    chat, decision = _running()

    assert chat.facts["instances"] == "2 at first, of ml.a or ml.b"
    assert chat.facts["since"] == "2026-01-02T03:04:05+00:00"
    assert decision.facts["says image"] == DIGEST
    assert (chat.differences, decision.differences) == ([], [])
    assert any(line.split() == ["decision", "GGUF", GGUF] for line in decision.lines())


@pytest.mark.parametrize(
    ("said", "difference"),
    [({"digest": "sha256:" + "c" * 64}, "it is image sha256:ccc"), ({"sha256": "d" * 64}, "it serves GGUF ddd")],
)
def test_container_that_says_something_else_is_a_difference(said: dict[str, str], difference: str) -> None:
    """Another image or another GGUF than the stack asked for is named."""
    _, decision = _running(**said)

    assert difference in "\n".join(decision.lines())


def test_endpoint_that_is_not_in_service_is_not_asked() -> None:
    """Its state is the difference."""
    chat, decision = _running("Updating")

    assert chat.differences == decision.differences == ["the endpoint is Updating"]
    assert "says GGUF" not in decision.facts
