"""The optional VPC, and who may call."""

from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk import assertions
from aws_cdk import aws_iam as iam

from app import build
from constructs_lib.inference_endpoint import InferenceEndpoint
from tests.template.synthesis import ENVIRONMENTS, Template, flat, listed, template
from tests.template.variants import GROUPS, SUBNETS, variant

ENDPOINT, POLICY = "AWS::SageMaker::Endpoint", "AWS::IAM::ManagedPolicy"


@pytest.mark.parametrize("stack", ["chat", "decision"])
def test_network_is_on_both_models_which_stay_isolated(stack: str) -> None:
    """The instances are attached, the container still reaches nothing."""
    _, model = variant("canary", stack).only("AWS::SageMaker::Model")

    assert model["VpcConfig"] == {"Subnets": SUBNETS, "SecurityGroupIds": GROUPS}
    assert model["EnableNetworkIsolation"] is True


@pytest.mark.parametrize("stack", ["chat", "decision"])
def test_execution_role_handles_network_interfaces_of_these_subnets_only(stack: str) -> None:
    """Only describing, which EC2 knows no resource for, is allowed without one."""
    content = variant("canary", stack)
    role = content.only("AWS::SageMaker::Model")[1]["ExecutionRoleArn"]["Fn::GetAtt"][0]
    arn = "arn:<AWS::Partition>:ec2:<AWS::Region>:<AWS::AccountId>:"
    subnets = [f"{arn}subnet/{each}" for each in SUBNETS]
    interfaces = [f"{arn}network-interface/*"]
    found: dict[str, list[tuple[list[str], Any]]] = {}
    for statement in content.statements(role):
        for action in listed(statement["Action"]):
            resources = [flat(each) for each in listed(statement["Resource"])]
            condition = statement.get("Condition", {}).get("ArnEquals", {}).get("ec2:Subnet", [])
            found.setdefault(action, []).append((resources, [flat(each) for each in condition]))

    in_these_subnets = (interfaces, subnets)
    assert {action: found[action] for action in found if action.startswith("ec2:")} == {
        "ec2:CreateNetworkInterface": [
            ([f"{arn}security-group/{GROUPS[0]}", *subnets], []),
            in_these_subnets,
        ],
        "ec2:CreateNetworkInterfacePermission": [in_these_subnets],
        "ec2:DeleteNetworkInterface": [in_these_subnets],
        "ec2:DeleteNetworkInterfacePermission": [(interfaces, [])],
        **{
            f"ec2:Describe{what}": [(["*"], [])]
            for what in ("DhcpOptions", "NetworkInterfaces", "SecurityGroups", "Subnets", "Vpcs")
        },
    }


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_without_a_network_nothing_speaks_of_one(environment: str) -> None:
    """An absent table leaves model and role as they were."""
    for stack in ("chat", "decision"):
        content = template(environment, stack)

        assert "VpcConfig" not in content.only("AWS::SageMaker::Model")[1]
        assert "ec2:" not in str(content.content)


def _allowed(content: Template) -> list[tuple[list[str], list[str]]]:
    _, policy = content.only(POLICY)
    return [
        (listed(each["Action"]), [flat(arn) for arn in listed(each["Resource"])])
        for each in policy["PolicyDocument"]["Statement"]
    ]


INVOKE, STREAM = "sagemaker:InvokeEndpoint", "sagemaker:InvokeEndpointWithResponseStream"


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize(("stack", "actions"), [("chat", [INVOKE, STREAM]), ("decision", [INVOKE])])
def test_callers_may_call_one_endpoint_and_nothing_else(environment: str, stack: str, actions: list[str]) -> None:
    """The resource is the endpoint's own ARN; only chat streams; the policy's ARN is exported under a stable name."""
    content = template(environment, stack)
    endpoint, _ = content.only(ENDPOINT)
    name, policy = content.only(POLICY)

    assert _allowed(content) == [(actions, [f"<{endpoint}>"])]
    assert not {"ManagedPolicyName", "Users", "Groups", "Roles"} & set(policy)
    output = content.content["Outputs"]["CallerPolicyArn"]
    assert output == {"Value": {"Ref": name}, "Export": {"Name": f"semif-{environment}-{stack}-CallerPolicyArn"}}


def test_bearer_tokens_are_an_option_of_chat() -> None:
    """IAM knows no resource for a token; what its bearer may invoke stays this endpoint."""
    chat, decision = variant("canary", "chat"), variant("canary", "decision")
    endpoint, _ = chat.only(ENDPOINT)

    assert _allowed(chat) == [
        ([INVOKE, STREAM], [f"<{endpoint}>"]),
        (["sagemaker:CallWithBearerToken"], ["*"]),
    ]
    assert len(_allowed(decision)) == 1


def test_role_in_the_app_is_granted_the_same(tmp_path: Path) -> None:
    """grant_invoke adds to a role's own policy what the exported one holds."""
    stack = build("dev", outdir=str(tmp_path)).node.find_child("semif-dev-chat")
    endpoint = stack.node.find_child("InferenceEndpoint")
    assert isinstance(stack, cdk.Stack)
    assert isinstance(endpoint, InferenceEndpoint)
    caller = iam.Role(stack, "Caller", assumed_by=iam.AccountRootPrincipal())

    endpoint.grant_invoke(caller, streaming=True).assert_success()

    content = Template(assertions.Template.from_stack(stack).to_json())
    role, _ = content.named("Caller", "AWS::IAM::Role")
    (statement,) = content.statements(role)
    name, _ = content.only(ENDPOINT)
    assert (statement["Action"], statement["Resource"]) == ([INVOKE, STREAM], {"Ref": name})
