"""Audit records by a key in KMS and in CloudWatch Logs, replayed against the deployed endpoint."""

import json
from pathlib import Path
from typing import Any

import pytest

from decision_client.answer import Answer
from decision_client.audit.keyed_hash import KeyUseError, Mac
from decision_client.audit.kms_key import KmsKey
from decision_client.audit.log_stream import TrailStream
from decision_client.audit.recording import Audit
from decision_client.audit.sink import SinkError
from decision_client.client import DecisionClient
from decision_client.definition import DecisionDefinition
from decision_client.policy import Binding, DecisionPolicy, Thresholds
from decision_client.sagemaker_transport import SageMakerTransport
from evidence.calibration.policy_file import text
from local_aws.deployment import Deployment
from local_aws.questions import DECISION, Answers
from local_aws.session import Address
from ops.ask import RUNTIME_CONFIG, SUPPORT_ROUTE
from tests.local_aws.operators_command import operate
from tests.unit.decision_client.audit.records import decision

pytestmark = pytest.mark.local_aws
DEFINITION = DecisionDefinition.model_validate(
    {"name": "support-route", "version": "1", **{key: SUPPORT_ROUTE[key] for key in ("question", "options")}}
)
ALIAS, GROUP = "alias/decision-audit", "/audit/decisions"
DIGEST = bytes(32)


def new_key(kms: Any) -> str:
    """Make a key for keyed hashes and return its ARN."""
    arn: str = kms.create_key(KeySpec="HMAC_256", KeyUsage="GENERATE_VERIFY_MAC")["KeyMetadata"]["Arn"]
    return arn


def test_key_in_kms_makes_and_checks_hashes(address: Address) -> None:
    """By an alias; hashes name the key behind it, also those from before the alias moved."""
    kms = address.client("kms")
    older, newer = new_key(kms), new_key(kms)
    kms.create_alias(AliasName="alias/moves", TargetKeyId=older)
    key = KmsKey("alias/moves", kms)

    before = key.mac(DIGEST)
    kms.update_alias(AliasName="alias/moves", TargetKeyId=newer)
    after = key.mac(DIGEST)

    assert (before.key_id, after.key_id) == (older, newer)
    assert before.value != after.value
    assert [key.verifies(DIGEST, mac) for mac in (before, after)] == [True, True]
    assert not key.verifies(DIGEST, Mac(key_id=older, value=after.value))


def test_key_that_is_not_there_is_said(address: Address) -> None:
    """With the service's code."""
    with pytest.raises(KeyUseError, match="alias/none: GenerateMac: NotFoundException"):
        KmsKey("alias/none", address.client("kms")).mac(DIGEST)


def test_log_group_that_is_not_there_is_not_made(address: Address) -> None:
    """A record is not kept anywhere else than where it belongs."""
    with pytest.raises(SinkError, match="/audit/none: ResourceNotFoundException"):
        TrailStream("/audit/none", "app", address.client("logs")).append([decision(1)])


@pytest.mark.rule(
    "a recorded decision is asked again with the same bits; another request is told by the part that differs",
    tool="boto3, the decision container, the operator's commands",
    emulated="KMS' keyed hashes, CloudWatch Logs",
)
def test_recorded_decision_is_replayed(deployment: Deployment, answers: Answers, tmp_path: Path) -> None:
    """A key in KMS, records in a log group, the deployed endpoint: recorded, replayed, corrected, counted, checked."""
    assert answers
    address = deployment.address
    kms, logs = address.client("kms"), address.client("logs")
    kms.create_alias(AliasName=ALIAS, TargetKeyId=new_key(kms))
    logs.create_log_group(logGroupName=GROUP)
    runtime = address.client("sagemaker-runtime", config=RUNTIME_CONFIG)
    audit = Audit(TrailStream(GROUP, "orders", logs), KmsKey(ALIAS, kms))
    client = DecisionClient(SageMakerTransport(DECISION, client=runtime), on_decision=audit)

    decided = client.decide(DEFINITION, SUPPORT_ROUTE["state"], decision_id="case-4711")

    assert list(decided.answer.option_logits) == answers.decision["option_logits"]
    (event,) = logs.filter_log_events(logGroupName=GROUP)["events"]
    assert "Customer" not in event["message"]
    request = tmp_path / "request.json"
    request.write_text(json.dumps({"decision": SUPPORT_ROUTE}))
    replay = ("replay", f"logs:{GROUP}", "local", "--id", "case-4711", "--request", str(request))
    code, told = operate(address, *replay)
    assert (code, told["verdict"], told["identity"]) == (0, "identical", [])

    request.write_text(json.dumps({"decision": {**SUPPORT_ROUTE, "state": "Another state."}}))
    code, told = operate(address, *replay)
    assert (code, told["differing_parts"]) == (2, ["state"])

    override = ("override", "case-4711", "--trail", f"logs:{GROUP}", "--choice", "billing", "--by", "ana")
    assert operate(address, *override)[0] == 0
    code, told = operate(address, "audit", f"logs:{GROUP}")
    assert (code, told["total"]["answered"], told["total"]["corrected"]) == (0, 1, 1)
    policy = tmp_path / "policy.toml"
    policy.write_text(text(_policy(decided.answer)), encoding="utf-8")
    code, told = operate(address, "calibrate", f"logs:{GROUP}", "--check", str(policy), "--unseen")
    assert (code, told["answers"], told["differences"]) == (1, 1, [])
    assert [(each["verdict"], each["tested"][0]["covered"]) for each in told["thresholds"]] == [("not shown", 1)]


def _policy(answer: Answer) -> DecisionPolicy:
    """Return a policy that acts upon whatever is answered there."""
    thresholds = Thresholds(target_risk=0.1, confidence=0.95, act=0.0, min_mass=0.0, min_margin=0.0)
    return DecisionPolicy(
        version="1",
        definition=DEFINITION.reference,
        binding=Binding.of(answer.model),
        runtimes=(answer.model.runtime,),
        temperature=1.0,
        thresholds=thresholds,
        evidence={},
    )
