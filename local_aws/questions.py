"""Both endpoints asked through real boto3, and what tells one process of an endpoint from another."""

from dataclasses import dataclass
from typing import Any, Final

from local_aws.session import Address
from ops.ask import RUNTIME_CONFIG, ask_chat, ask_decision, chat_sentence, decision_sentence
from ops.ask.chat_stream import StreamedChat, stream_chat

DECISION: Final = "semif-local-decision"
CHAT: Final = "semif-local-chat"


@dataclass(frozen=True)
class Answers:
    """What both endpoints answered."""

    decision: dict[str, Any]
    chat: dict[str, Any]
    streamed: StreamedChat

    def lines(self) -> tuple[str, ...]:
        """Return one line for each, and one for the chat answer as a stream."""
        return (
            f"decision  {decision_sentence(self.decision)}",
            f"chat      {chat_sentence(self.chat)}",
            f"streamed  {self.streamed.sentence}",
        )

    def comparable(self) -> tuple[list[float], str]:
        """Return what must be the same when the same process answers the same question: logits and text."""
        return self.decision["option_logits"], chat_sentence(self.chat)


def ask(address: Address) -> Answers:
    """Ask both endpoints of the environment `local`, the chat endpoint in one piece and as a stream."""
    runtime = address.client("sagemaker-runtime", config=RUNTIME_CONFIG)
    return Answers(ask_decision(runtime, DECISION), ask_chat(runtime, CHAT), stream_chat(runtime, CHAT))


def processes(address: Address) -> dict[str, tuple[str, ...]]:
    """Return each endpoint's configuration and log streams; every process has a stream of its own."""
    sagemaker, logs = address.client("sagemaker"), address.client("logs")
    found = {}
    for name in (DECISION, CHAT):
        config = sagemaker.describe_endpoint(EndpointName=name)["EndpointConfigName"]
        streams = logs.describe_log_streams(logGroupName=f"/aws/sagemaker/Endpoints/{name}")["logStreams"]
        found[name] = (config, *sorted(stream["logStreamName"] for stream in streams))
    return found


def stand_ins(address: Address) -> list[str]:
    """Return what the image build said about the stand-in it put in the registry."""
    builds, logs = address.client("codebuild"), address.client("logs")
    sentences = []
    for build in builds.batch_get_builds(ids=builds.list_builds()["ids"])["builds"]:
        events = logs.filter_log_events(logGroupName=build["logs"]["groupName"])["events"]
        sentences += [event["message"] for event in events if event["message"].startswith("This is a stand-in")]
    return sentences
