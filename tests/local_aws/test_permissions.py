"""Least privilege: what the templates allow is needed, and what they do not allow is denied."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.checkout import ACCOUNT, REGION, ROOT
from local_aws.deployment import Deployment, reason
from local_aws.questions import CHAT, DECISION, Answers
from local_aws.session import Address, LocalAws
from ops.ask import RUNTIME_CONFIG, ask_decision
from tests.local_aws.permissions import Permission, acting_again, permissions, without
from tests.local_aws.stack_update import update
from tests.local_aws.unenforced import UNENFORCED, shown, table
from tests.template.synthesis import assembly

pytestmark = pytest.mark.local_aws

ASSETS = f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}"
ENDPOINT = f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:endpoint"


@pytest.fixture
def caller(address: Address) -> Iterator[tuple[str, tuple[str, str]]]:
    """Name and access key of a user whom no policy allows anything."""
    iam, name = address.client("iam"), "caller"
    iam.create_user(UserName=name)
    key = iam.create_access_key(UserName=name)["AccessKey"]
    yield name, (key["AccessKeyId"], key["SecretAccessKey"])
    iam.delete_access_key(UserName=name, AccessKeyId=key["AccessKeyId"])
    iam.delete_user_policy(UserName=name, PolicyName="asks")
    iam.delete_user(UserName=name)


def _allow(address: Address, user: str, *statements: tuple[str, str]) -> None:
    listed = [{"Effect": "Allow", "Action": action, "Resource": resource} for action, resource in statements]
    document = json.dumps({"Version": "2012-10-17", "Statement": listed})
    address.client("iam").put_user_policy(UserName=user, PolicyName="asks", PolicyDocument=document)


def _denied(call: Any, **parameters: Any) -> str:
    with pytest.raises(ClientError) as caught:
        call(**parameters)
    error = caught.value.response["Error"]
    assert error["Code"] == "AccessDeniedException", error
    return error["Message"]


@pytest.mark.rule(
    "an endpoint answers only who is allowed to invoke it, and describes itself only to who may ask",
    tool="",
    emulated="ministack's evaluation of the caller's policies, before our proxy and before moto",
)
def test_endpoint_answers_only_who_may_invoke_it(
    address: Address, answers: Answers, caller: tuple[str, tuple[str, str]]
) -> None:
    """Without a policy every call is denied by its action; with one for an endpoint, only that endpoint answers."""
    name, key = caller
    runtime = address.client("sagemaker-runtime", key=key, config=RUNTIME_CONFIG)
    sagemaker = address.client("sagemaker", key=key)
    _allow(address, name, ("sagemaker:InvokeEndpoint", f"{ENDPOINT}/{CHAT}"))

    said = _denied(runtime.invoke_endpoint, EndpointName=DECISION, Body=b"{}")
    assert "is not authorized to perform: sagemaker:InvokeEndpoint on resource: " + f"{ENDPOINT}/{DECISION}" in said
    streamed = _denied(runtime.invoke_endpoint_with_response_stream, EndpointName=CHAT, Body=b"{}")
    assert "sagemaker:InvokeEndpointWithResponseStream" in streamed
    assert "sagemaker:DescribeEndpoint" in _denied(sagemaker.describe_endpoint, EndpointName=DECISION)
    assert "sagemaker:ListModels" in _denied(sagemaker.list_models)

    _allow(
        address,
        name,
        ("sagemaker:InvokeEndpoint", f"{ENDPOINT}/{DECISION}"),
        ("sagemaker:DescribeEndpoint", f"{ENDPOINT}/{DECISION}"),
    )
    assert ask_decision(runtime, DECISION)["prompt_sha256"] == answers.decision["prompt_sha256"]
    assert sagemaker.describe_endpoint(EndpointName=DECISION)["EndpointStatus"] == "InService"


def test_forged_signature_reaches_neither_server(address: Address, caller: tuple[str, tuple[str, str]]) -> None:
    """A caller who has a key's name but not its secret is refused by the proxy and by SageMaker's control plane."""
    name, (key_id, _) = caller
    _allow(address, name, ("sagemaker:*", "*"))
    forged = (key_id, "not the secret")

    for call, parameters in (
        (address.client("sagemaker", key=forged).list_models, {}),
        (address.client("sagemaker-runtime", key=forged).invoke_endpoint, {"EndpointName": CHAT, "Body": b"{}"}),
    ):
        with pytest.raises(ClientError, match="signature"):
            call(**parameters)


def test_readme_lists_what_no_run_shows() -> None:
    """README.md holds the list of unenforced permissions as it is, and each entry is about a permission there is."""
    given = list(permissions(assembly("local"), "local"))

    assert table() in (ROOT / "README.md").read_text("utf-8"), f"README.md needs this table:\n{table()}"
    assert [each for each in UNENFORCED if not any(map(each.covers, given))] == []


@pytest.mark.slow
@pytest.mark.timeout(1500)
@pytest.mark.rule(
    "each permission of each role is needed: without it the run fails and names the action",
    tool="the handlers, the packaging build",
    emulated="ministack evaluates the roles' policies; the list of exceptions is below",
)
def test_each_permission_is_needed(subtests: pytest.Subtests) -> None:
    """Without one action of one statement, what uses the role fails, and the stack goes back to what it was.

    The stack is updated by plain CloudFormation calls. What a build says in its log counts too: a build that may not
    write its report cannot give a sentence to the deployment.
    """
    with LocalAws(name="permissions") as aws:
        deployment = Deployment(aws.address)
        deployment.synthesize()
        deployment.bootstrap()
        outcome = deployment.deploy()
        assert outcome.code == 0, reason(outcome)
        needed = shown(permissions(ROOT / deployment.assembly, "local"))
        stacks = sorted({permission.stack for permission in needed})
        with ThreadPoolExecutor(len(stacks)) as threads:
            queues = {stack: [each for each in needed if each.stack == stack] for stack in stacks}
            runs = {stack: threads.submit(_runs_without, deployment, queues[stack]) for stack in stacks}
            for permission, status, said in (run for future in runs.values() for run in future.result()):
                with subtests.test(str(permission)):
                    assert status == "UPDATE_ROLLBACK_COMPLETE"
                    assert permission.action in said


def _runs_without(deployment: Deployment, needed: list[Permission]) -> list[tuple[Permission, str, str]]:
    """Run a stack's update once without each of the permissions; return statuses and what was said."""
    runs = []
    for permission in needed:
        stack = f"semif-local-{permission.stack}"
        template = json.loads((ROOT / deployment.assembly / f"{stack}.template.json").read_text("utf-8"))
        edited = without(acting_again(template, permission), permission)
        status, said = update(deployment.address, stack, edited, ASSETS)
        runs.append((permission, status, said + _last_build_log(deployment.address, permission.role)))
    return runs


def _last_build_log(address: Address, role: str) -> str:
    """Return the log of the last build of the project that has this role, if one has."""
    projects = address.client("codebuild").list_projects()["projects"]
    named = [name for name in projects if "BuildRole" in role and role.removesuffix("Role") in name]
    if not named:
        return ""
    builds = address.client("codebuild").list_builds_for_project(projectName=named[0], sortOrder="DESCENDING")["ids"]
    (build,) = address.client("codebuild").batch_get_builds(ids=builds[:1])["builds"]
    log = {"logGroupName": build["logs"]["groupName"], "logStreamNames": [build["logs"]["streamName"]]}
    events = address.client("logs").filter_log_events(**log)["events"]
    return "\n".join(event["message"] for event in events)
