"""The deployed verification is asked again, with the pin of the file, and what it says is said."""

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest

from config.loader import load
from config.settings import Settings
from lifecycle import RefusedError
from ops.endpoints.verification import verify
from pinned_model import PROPERTIES
from tests.unit.handlers.archives import GGUF, FakeStore, model_archive, properties
from verify_model import on_event

SETTINGS = load("dev")


class FakeStacks:
    """Stacks whose verification's function may be missing."""

    def __init__(self, function: str = "VerifiedModelProviderOnEvent1A2B3C4D") -> None:
        self.function = function

    def describe_stacks(self, *, StackName: str) -> dict[str, Any]:  # noqa: N803 - boto3's spelling
        """Return the artifact stack."""
        assert StackName == "semif-dev-artifact"
        return {"Stacks": [{"Outputs": [{"OutputKey": "BucketName", "OutputValue": "semif-artifacts"}]}]}

    def get_paginator(self, operation: str) -> "FakeStacks":
        """Return the pages of the resources."""
        assert operation == "list_stack_resources"
        return self

    def paginate(self, *, StackName: str) -> Iterator[dict[str, Any]]:  # noqa: N803 - as above
        """Yield a page with a role and a page with a function."""
        for kind, physical in (("AWS::IAM::Role", "a-role"), ("AWS::Lambda::Function", f"{StackName}-function")):
            resource = {"LogicalResourceId": self.function, "ResourceType": kind, "PhysicalResourceId": physical}
            yield {"StackResourceSummaries": [resource]}


class Functions:
    """Lambda that runs the handler itself over one archive."""

    def __init__(self, archive: bytes) -> None:
        self.archive = archive
        self.asked: list[str] = []

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803 - as above
        """Call the handler as Lambda does."""
        self.asked.append(FunctionName)
        event = json.loads(Payload)
        assert set(event["ResourceProperties"]) == set(PROPERTIES)
        event["ResourceProperties"] = properties()
        try:
            answer: dict[str, Any] = on_event(event, None, lambda: FakeStore(self.archive))
        except RefusedError as error:
            said = {"errorMessage": str(error), "errorType": "RefusedError"}
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(json.dumps(said).encode())}
        return {"Payload": io.BytesIO(json.dumps(answer).encode())}


def _verify(functions: Functions, stacks: FakeStacks | None = None, settings: Settings = SETTINGS) -> list[str]:
    cloudformation: Any = stacks or FakeStacks()
    return [each.sentence for each in verify(cloudformation, functions, settings)]


def test_both_endpoints_say_what_proved_their_model() -> None:
    """The function of each stack is asked, and its proof is shown."""
    functions = Functions(model_archive())

    chat, decision = _verify(functions)

    assert functions.asked == ["semif-dev-chat-function", "semif-dev-decision-function"]
    assert chat.startswith("chat      right  s3://semif-artifacts/models/")
    assert decision.endswith("every byte of the archive was read and hashed")


def test_a_model_that_changed_is_said_to_be_wrong_with_both_digests() -> None:
    """What the handler refuses is the answer, not a failure of the command."""
    _, decision = _verify(Functions(model_archive(GGUF[::-1])))

    assert decision.startswith("decision  WRONG  s3://")
    assert "pinned is sha256" in decision


def test_a_stack_without_a_verification_is_named() -> None:
    """It was deployed before there was one, or is another stack."""
    with pytest.raises(LookupError, match="semif-dev-chat has no function VerifiedModelProviderOnEvent"):
        _verify(Functions(b""), FakeStacks("PinnedImageProviderOnEvent"))
