"""The policies of whoever deploys a hand-over: enough, bounded, and no longer than IAM takes."""

import json
from typing import Any

import pytest

from handoff.statements import MAX_CHARACTERS
from tests.template.handed_over import handed_over, templates
from tests.template.synthesis import ENVIRONMENTS, listed


def _policies(environment: str) -> list[dict[str, Any]]:
    """Return the deployer's policy documents."""
    content = json.loads((handed_over(environment) / "iam" / "deployer.template.json").read_text("utf-8"))
    return [each["Properties"]["PolicyDocument"] for each in content["Resources"].values()]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_deployer_s_policies_fit_their_limits(environment: str) -> None:
    """IAM takes 6144 characters a policy and attaches ten of them."""
    found = _policies(environment)

    assert len(found) <= 10
    for document in found:
        text = (
            json.dumps(document, separators=(",", ":"))
            .replace('{"Fn::Sub":', "")
            .replace("${AWS::Partition}", "aws-us-gov")
        )
        text = text.replace("${AWS::AccountId}", "0" * 12).replace("${AWS::Region}", "ap-southeast-1")
        assert len(text) <= MAX_CHARACTERS * 1.02  # the closing braces of Fn::Sub are still in it


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_deployer_may_make_every_resource_of_the_templates(environment: str) -> None:
    """Names that templates give are allowed one by one, and only actions without a resource are allowed on all."""
    statements = [each for document in _policies(environment) for each in document["Statement"]]
    resources = {each["Fn::Sub"] if isinstance(each, dict) else each for one in statements for each in one["Resource"]}
    for text in templates(environment).values():
        for resource in json.loads(text)["Resources"].values():
            for name in ("EndpointName", "LogGroupName"):
                if isinstance(value := resource.get("Properties", {}).get(name), str):
                    assert any(each.endswith((f"/{value}", f":{value}")) for each in resources)
    on_all = {action for each in statements if each["Resource"] == ["*"] for action in each["Action"]}
    assert on_all <= {
        "application-autoscaling:DescribeScalableTargets",
        "application-autoscaling:DescribeScalingPolicies",
        "application-autoscaling:DescribeScheduledActions",
        "kms:CreateKey",
        "logs:DescribeLogGroups",
        "logs:DescribeResourcePolicies",
    }


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_deployer_may_pass_roles_to_the_services_that_take_them(environment: str) -> None:
    """Each service that a role trusts is named, no other."""
    trusted = {
        statement["Principal"]["Service"]
        for text in templates(environment).values()
        for resource in json.loads(text)["Resources"].values()
        if resource["Type"] == "AWS::IAM::Role"
        for statement in listed(resource["Properties"]["AssumeRolePolicyDocument"]["Statement"])
        if "Service" in statement["Principal"]
    }

    statements = [each for document in _policies(environment) for each in document["Statement"]]
    (passing,) = [each for each in statements if each["Action"] == ["iam:PassRole"]]

    assert set(passing["Condition"]["StringEquals"]["iam:PassedToService"]) == trusted
