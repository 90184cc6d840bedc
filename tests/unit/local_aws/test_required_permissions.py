import json

import pytest

from local_aws.emulator.required_permissions import of_control_plane, of_invocation

SIGNED = "AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/{}/aws4_request, SignedHeaders=host, Signature=0"
ARN = "arn:aws:sagemaker:us-east-1:000000000000"


@pytest.mark.parametrize(
    ("operation", "parameters", "needed"),
    [
        (
            "CreateModel",
            {"ModelName": "M", "ExecutionRoleArn": "arn:r"},
            [("sagemaker:CreateModel", f"{ARN}:model/m"), ("iam:PassRole", "arn:r")],
        ),
        (
            "UpdateEndpoint",
            {"EndpointName": "E", "EndpointConfigName": "C"},
            [
                ("sagemaker:UpdateEndpoint", f"{ARN}:endpoint/e"),
                ("sagemaker:UpdateEndpoint", f"{ARN}:endpoint-config/c"),
            ],
        ),
        (
            "DescribeEndpointConfig",
            {"EndpointConfigName": "C"},
            [("sagemaker:DescribeEndpointConfig", f"{ARN}:endpoint-config/c")],
        ),
        ("AddTags", {"ResourceArn": "arn:x"}, [("sagemaker:AddTags", "arn:x")]),
        ("ListEndpoints", {}, [("sagemaker:ListEndpoints", "*")]),
    ],
)
def test_call_to_sagemaker_needs_its_action_on_what_it_names(
    operation: str, parameters: dict[str, str], needed: list[tuple[str, str]]
) -> None:
    """The action is the operation's, the resource in lower case; creating a model passes a role on."""
    body = json.dumps(parameters).encode()

    assert needed == of_control_plane(SIGNED.format("sagemaker"), f"SageMaker.{operation}", body)


def test_call_to_another_service_needs_that_services_action() -> None:
    """The namespace comes from the signature's scope."""
    target = "AnyScaleFrontendService.RegisterScalableTarget"

    needed = of_control_plane(SIGNED.format("application-autoscaling"), target, b"{}")

    assert needed == [("application-autoscaling:RegisterScalableTarget", "*")]


@pytest.mark.parametrize("body", [b"", b"[]", b"{"])
def test_call_without_an_operation_needs_what_nobody_has(body: bytes) -> None:
    """A request that names no operation is not let through by a policy that allows real actions."""
    assert of_control_plane("", "", body) == [("sagemaker:", "*")]


def test_streamed_invocation_is_an_action_of_its_own() -> None:
    """InvokeEndpoint and its streaming form are two actions on the same endpoint."""
    assert of_invocation("Here", streamed=False) == [("sagemaker:InvokeEndpoint", f"{ARN}:endpoint/here")]
    assert of_invocation("Here", streamed=True)[0][0] == "sagemaker:InvokeEndpointWithResponseStream"
