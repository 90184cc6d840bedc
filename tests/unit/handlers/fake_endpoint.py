"""SageMaker with one endpoint that runs and answers exactly what was asked for, unless a test changes it."""

import copy
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import pytest
from botocore.exceptions import ClientError
from botocore.response import StreamingBody

from check_endpoint import Clients, on_event
from lifecycle import RefusedError
from tests.unit.handlers.archives import request, response_bytes

IMAGE = "111122223333.dkr.ecr.eu-central-1.amazonaws.com/semif-decision@sha256:" + "d" * 64
NAME, CONFIG_NAME, MODEL_NAME = "semif-dev-decision", "InferenceEndpointConfig-Ab12", "InferenceEndpointModel-Cd34"
KNOWN_PROMPT = "0162" * 16

MODEL: Mapping[str, Any] = {
    "EnableNetworkIsolation": True,
    "ExecutionRoleArn": "arn:aws:iam::111122223333:role/InferenceEndpointRole",
    "PrimaryContainer": {
        "Environment": {"SEMIF_THREADS": "4", "SEMIF_N_GPU_LAYERS": "-1"},
        "Image": IMAGE,
        "ModelDataUrl": "s3://artifacts/models/a/b/model.tar.gz",
    },
}
CONFIG: Mapping[str, Any] = {
    "KmsKeyId": "arn:aws:kms:eu-central-1:111122223333:key/1",
    "ProductionVariants": [
        {
            "ContainerStartupHealthCheckTimeoutInSeconds": 900,
            "InferenceAmiVersion": "al2023-ami-sagemaker-inference-gpu-4-1",
            "InitialInstanceCount": 2,
            "InitialVariantWeight": 1,
            "InstancePools": [
                {"InstanceType": "ml.g6e.xlarge", "Priority": 1},
                {"InstanceType": "ml.g5.2xlarge", "Priority": 2},
            ],
            "ModelDataDownloadTimeoutInSeconds": 900,
            "ModelName": MODEL_NAME,
            "VariantInstanceProvisionTimeoutInSeconds": 1200,
            "VariantName": "AllTraffic",
        }
    ],
}
WANTED_RESULT: Mapping[str, Any] = {
    "id": "support-route",
    "option_ids": ["account_access", "billing", "sales"],
    "prompt_sha256": KNOWN_PROMPT,
    "prompt_version": "direct-options-v1",
    "model": {
        "name": "qwen3.5-4b-q4-k-m",
        "gguf": {"file": "Qwen.gguf", "bytes": 3013027808, "sha256": "13c1" * 16},
        "prompt_version": "direct-options-v1",
        "tokenizer": {"source": "Qwen/Qwen3.5-4B", "revision": "8" * 40},
        "template_sha256": "872b" * 16,
        "n_gpu_layers": -1,
        "threads": 4,
        "context_tokens": 4096,
        "serving_path": "canonical",
        "image_digest": "sha256:" + "d" * 64,
        "adapter_version": "0.1.0",
    },
}
WANTED_COMPLETION: Mapping[str, Any] = {"object": "chat.completion", "model": "Qwen.gguf"}


def decision_answer() -> dict[str, Any]:
    """What the decision container answers to the known question."""
    told = {
        "llama_cpp": {"version": "b10433", "library_sha256": "2ecd" * 16},
        "backend": "CUDA0",
        "device": "NVIDIA L40S",
        "layers_offloaded": 37,
        "layers_total": 37,
    }
    result = copy.deepcopy(dict(WANTED_RESULT))
    result["model"] |= told
    return {"result": result | {"choice": "account_access", "tie": False, "probabilities": [0.785, 0.079, 0.136]}}


def completion() -> dict[str, Any]:
    """What llama-server answers to the known question."""
    message = {"role": "assistant", "content": "The capital of France is Paris."}
    return {
        **WANTED_COMPLETION,
        "choices": [{"finish_reason": "stop", "index": 0, "message": message}],
        "system_fingerprint": "b10433-9b05354e",
        "usage": {"completion_tokens": 8, "prompt_tokens": 21, "total_tokens": 29},
    }


def endpoint() -> dict[str, Any]:
    """What DescribeEndpoint tells of the endpoint."""
    variant = {
        "VariantName": "AllTraffic",
        "DeployedImages": [{"SpecifiedImage": IMAGE, "ResolvedImage": IMAGE}],
        "CurrentInstanceCount": 2,
        "DesiredInstanceCount": 2,
        "InstancePools": [{"InstanceType": "ml.g5.2xlarge", "CurrentInstanceCount": 2}],
    }
    return {
        "EndpointName": NAME,
        "EndpointStatus": "InService",
        "EndpointConfigName": CONFIG_NAME,
        "ProductionVariants": [variant],
    }


def failed(code: str, **members: object) -> ClientError:
    """An error of SageMaker or its runtime."""
    response: Any = {"Error": {"Code": code, "Message": "so it is"}, **members}
    return ClientError(response, "Call")


def busy(status: int, code: str) -> ClientError:
    """A refusal of the decision container, as the runtime passes it on."""
    said = json.dumps({"error": "not now", "code": code, "field": None, "retryable": True})
    return failed("ModelError", OriginalStatusCode=status, OriginalMessage=said)


@dataclass
class FakeEndpoint:
    """The control plane, the runtime and a clock.

    Attributes:
        endpoint: What DescribeEndpoint answers.
        config: What DescribeEndpointConfig answers, with a field of the service's own.
        model: What DescribeModel answers, likewise.
        answer: What InvokeEndpoint answers.
        errors: What calls fail with before they succeed, by operation.
        statuses: What the endpoint's status is at each look before it is as described.
        asked: The bodies that were sent.
        slept: The pauses.
    """

    endpoint: dict[str, Any] = field(default_factory=endpoint)
    config: dict[str, Any] = field(
        default_factory=lambda: {**copy.deepcopy(dict(CONFIG)), "EndpointConfigArn": "arn", "DataCaptureConfig": {}}
    )
    model: dict[str, Any] = field(default_factory=lambda: {**copy.deepcopy(dict(MODEL)), "ModelArn": "arn"})
    answer: object = field(default_factory=decision_answer)
    errors: dict[str, list[ClientError]] = field(default_factory=dict)
    statuses: list[str] = field(default_factory=list)
    asked: list[bytes] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)

    def clients(self) -> Clients:
        """This fake in each role."""
        return Clients(self, self, self.slept.append, lambda: sum(self.slept))

    def _fail(self, operation: str) -> None:
        if self.errors.get(operation):
            raise self.errors[operation].pop(0)

    def describe_endpoint(self, *, EndpointName: str) -> dict[str, Any]:  # noqa: N803 - SageMaker's own spelling
        """Describe the endpoint."""
        assert EndpointName == NAME
        self._fail("describe_endpoint")
        return self.endpoint | ({"EndpointStatus": self.statuses.pop(0)} if self.statuses else {})

    def describe_endpoint_config(self, *, EndpointConfigName: str) -> dict[str, Any]:  # noqa: N803 - as above
        """Describe its configuration."""
        assert EndpointConfigName == CONFIG_NAME
        self._fail("describe_endpoint_config")
        return self.config

    def describe_model(self, *, ModelName: str) -> dict[str, Any]:  # noqa: N803 - as above
        """Describe its model."""
        assert ModelName == MODEL_NAME
        self._fail("describe_model")
        return self.model

    def invoke_endpoint(self, *, EndpointName: str, ContentType: str, Body: bytes) -> dict[str, Any]:  # noqa: N803 - as above
        """Answer, whatever is asked."""
        assert (EndpointName, ContentType) == (NAME, "application/json")
        self.asked.append(Body)
        self._fail("invoke_endpoint")
        body = self.answer if isinstance(self.answer, bytes) else json.dumps(self.answer).encode()
        return {"Body": StreamingBody(io.BytesIO(body), len(body))}


def properties(
    kind: str = "decision", changes: Mapping[str, object] = MappingProxyType({}), **wanted: object
) -> dict[str, object]:
    """The properties of a check, but for some changes; `wanted` changes fields of the answer."""
    answer = WANTED_RESULT if kind == "decision" else WANTED_COMPLETION
    return {
        "ServiceToken": "arn",
        "ServiceTimeout": "960",
        "EndpointName": NAME,
        "EndpointConfigName": CONFIG_NAME,
        "EndpointConfig": json.dumps(CONFIG),
        "Model": json.dumps(MODEL),
        "Scaled": "false",
        "Kind": kind,
        "Answer": json.dumps({**answer, **wanted}),
        "HandlerVersion": "1",
        **changes,
    }


def refusal(fake: FakeEndpoint, given: dict[str, object] | None = None) -> str:
    """Return the sentence with which a check fails; it fits the response."""
    event = request("Create", given or properties())
    with pytest.raises(RefusedError) as refused:
        on_event(event, None, fake.clients)
    assert response_bytes(event, str(refused.value)) <= 4096
    return str(refused.value)


def refused_answer(answer: object, kind: str = "decision") -> str:
    """Return the sentence about one answer."""
    said = refusal(FakeEndpoint(answer=answer), properties(kind))
    assert said.startswith("Endpoint semif-dev-decision does not answer as pinned: ")
    return said
