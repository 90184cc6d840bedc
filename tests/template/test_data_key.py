"""The key of the data: who may use it, and under which conditions."""

import re
from typing import Any

import pytest

from tests.template.synthesis import ENVIRONMENTS, Template, flat, template


@pytest.fixture(params=ENVIRONMENTS)
def artifact(request: pytest.FixtureRequest) -> Template:
    """The artifact stack of each environment."""
    return template(request.param, "artifact")


def test_data_key_rotates(artifact: Template) -> None:
    """A new key version every year."""
    _, key = artifact.only("AWS::KMS::Key")

    assert key["EnableKeyRotation"] is True


def _key_statements(artifact: Template) -> dict[str, dict[str, Any]]:
    """Return the statements of the key's policy by the service they are for; "" is the account."""
    _, key = artifact.only("AWS::KMS::Key")
    return {flat(each["Principal"].get("Service", "")): each for each in key["KeyPolicy"]["Statement"]}


def test_logs_service_may_use_the_data_key_for_logs_of_this_environment_only(artifact: Template) -> None:
    """Its name has the partition's suffix, in China too, and its use is bound to log groups that this app makes."""
    ((service, logs),) = [item for item in _key_statements(artifact).items() if item[0].startswith("logs.")]

    assert re.fullmatch(r"logs\.(<AWS::Region>|us-east-1)\.<AWS::URLSuffix>", service)
    (groups,) = logs["Condition"]["ArnLike"].values()
    named = [re.sub(r".*:log-group:", "", flat(group)) for group in groups]
    environment = named[0].removeprefix("semif-").removesuffix("-*")
    assert environment in ENVIRONMENTS
    assert named[1:] == [f"/aws/sagemaker/Endpoints/semif-{environment}-{stack}" for stack in ("chat", "decision")]


def test_alarms_may_use_the_data_key_if_they_are_of_this_environment(artifact: Template) -> None:
    """CloudWatch publishes to an encrypted topic with the key; only alarms of this account and environment may."""
    alarms = _key_statements(artifact)["cloudwatch.amazonaws.com"]

    assert alarms["Action"] == ["kms:Decrypt", "kms:GenerateDataKey*"]
    assert flat(alarms["Condition"]["StringEquals"]["aws:SourceAccount"]) in {"<AWS::AccountId>", "000000000000"}
    assert re.fullmatch(
        r"arn:(<AWS::Partition>|aws):cloudwatch:(<AWS::Region>:<AWS::AccountId>|us-east-1:000000000000):alarm:semif-\w+-\*",
        flat(alarms["Condition"]["ArnLike"]["aws:SourceArn"]),
    )


@pytest.mark.rule("Nobody but the account's administrators may do everything with the key", tool="CDK", emulated="")
def test_key_policy_lets_services_use_the_key_under_conditions_and_only_the_account_administer_it(
    artifact: Template,
) -> None:
    """kms:* is the account's, whose own policies bound it; each service has named actions and a condition."""
    statements = _key_statements(artifact)
    account = statements.pop("")

    assert account["Action"] == "kms:*"
    assert re.fullmatch(
        r"arn:(<AWS::Partition>|aws):iam::(<AWS::AccountId>|000000000000):root", flat(account["Principal"]["AWS"])
    )
    assert len(statements) == 2
    for statement in statements.values():
        assert statement["Condition"]
        assert not {"*", "kms:*"} & set(statement["Action"])


def test_images_are_encrypted_with_the_data_key(artifact: Template) -> None:
    """Layers at rest have the key that archives have."""
    key, _ = artifact.only("AWS::KMS::Key")
    _, repository = artifact.only("AWS::ECR::Repository")

    assert repository["EncryptionConfiguration"] == {"EncryptionType": "KMS", "KmsKey": {"Fn::GetAtt": [key, "Arn"]}}
