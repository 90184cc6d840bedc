"""Ask a deployed chat endpoint and a deployed decision endpoint one known question each."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from types_boto3_sagemaker_runtime import SageMakerRuntimeClient

# InvokeEndpoint is cut at 60 s and AWS asks for a longer socket timeout; a retry would only double a slow call.
RUNTIME_CONFIG: Final = Config(
    read_timeout=70, connect_timeout=5, retries={"mode": "standard", "total_max_attempts": 1}
)

SUPPORT_ROUTE: Final = {
    "id": "support-route",
    "state": "Customer asks to reset a forgotten password and says the reset email never arrived.",
    "question": "Which queue should handle this request?",
    "options": [
        {"id": "account_access", "description": "Account access and authentication support."},
        {"id": "billing", "description": "Billing and payment support."},
        {"id": "sales", "description": "Sales and product evaluation."},
    ],
}
CHAT_REQUEST: Final = {
    "messages": [{"role": "user", "content": "Name the capital of France in one short sentence."}],
    "max_tokens": 32,
    "temperature": 0,
    "seed": 1,
}


def runtime_client(region: str | None) -> "SageMakerRuntimeClient":
    """Return a client whose timeouts suit an endpoint that may take the whole minute AWS allows."""
    return boto3.client("sagemaker-runtime", region_name=region, config=RUNTIME_CONFIG)


def ask_decision(runtime: "SageMakerRuntimeClient", endpoint_name: str) -> dict[str, Any]:
    """Return the decision endpoint's result for the support-route decision.

    Raises:
        botocore.exceptions.ClientError: the endpoint refused or is not there.
    """
    answer = invoke(runtime, endpoint_name, {"decision": SUPPORT_ROUTE})
    result: dict[str, Any] = answer["result"]
    return result


def ask_chat(runtime: "SageMakerRuntimeClient", endpoint_name: str) -> dict[str, Any]:
    """Return the chat endpoint's completion of a short question at temperature 0.

    Raises:
        botocore.exceptions.ClientError: the endpoint refused or is not there.
    """
    return invoke(runtime, endpoint_name, CHAT_REQUEST)


def decision_sentence(result: dict[str, Any]) -> str:
    """Say in one line what a decision came to."""
    scored = zip(result["option_ids"], result["probabilities"], strict=True)
    shares = ", ".join(f"{option} {probability:.4f}" for option, probability in scored)
    return f"{result['id']}: {shares} ({result['input_tokens']} tokens, prompt {result['prompt_sha256'][:12]}…)"


def chat_sentence(completion: dict[str, Any]) -> str:
    """Return the text of a chat completion in one line."""
    content: str = completion["choices"][0]["message"]["content"]
    return " ".join(content.split())


def invoke(runtime: "SageMakerRuntimeClient", endpoint_name: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Send one request to an endpoint and return its answer.

    Raises:
        botocore.exceptions.ClientError: the endpoint refused or is not there.
    """
    response = runtime.invoke_endpoint(
        EndpointName=endpoint_name, ContentType="application/json", Body=json.dumps(body).encode()
    )
    answer: dict[str, Any] = json.loads(response["Body"].read())
    return answer
