"""`ops ask`: one question to an endpoint, ours or one from a file."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import boto3
import typer

from config.loader import ENVIRONMENTS_DIRECTORY, load
from config.rules import ConfigurationError
from ops.ask import CHAT_REQUEST, SUPPORT_ROUTE, chat_sentence, decision_sentence, invoke, runtime_client
from ops.ask.bearer_token import BearerError, bearer_token, complete
from ops.ask.chat_stream import StreamedChat, read_stream, stream_chat
from ops.options import OUT, AsJson, Directory, Environment
from ops.report import print_json, say

if TYPE_CHECKING:
    from types_boto3_sagemaker_runtime import SageMakerRuntimeClient

_ROLE_SECONDS = 900  # the shortest session there is


class Which(StrEnum):
    """What is asked."""

    CHAT = "chat"
    DECISION = "decision"
    BOTH = "both"


def ask(
    which: Annotated[Which, typer.Argument(help="Which endpoint; both are asked their known questions.")],
    environment: Environment,
    *,
    file: Annotated[Path | None, typer.Option(help="A request as JSON, instead of the known question.")] = None,
    stream: Annotated[bool, typer.Option("--stream", help="Chat: read the answer as it is written.")] = False,
    openai: Annotated[bool, typer.Option("--openai", help="Chat: the OpenAI-compatible route.")] = False,
    role: Annotated[str, typer.Option(help="With --openai: a role's ARN, whose permissions the token has.")] = "",
    as_json: AsJson = False,
    environments_directory: Directory = ENVIRONMENTS_DIRECTORY,
) -> None:
    """Ask an endpoint of ENV a question and print the answer."""
    settings = load(environment, environments_directory)
    if which is not Which.CHAT and (stream or openai):
        raise ConfigurationError("--stream and --openai: the chat endpoint alone has them.")
    if which is Which.BOTH and file:
        raise ConfigurationError("--file: one request is for one endpoint.")
    if role and not openai:
        raise ConfigurationError("--role: only a token is made with a role; other requests use your credentials.")
    runtime = runtime_client(settings.environment.region)
    body = _request(file)
    answers: dict[str, Any] = {}
    if which is not Which.CHAT:
        answers["decision"] = invoke(runtime, settings.decision.endpoint_name, body or {"decision": SUPPORT_ROUTE})
    if which is not Which.DECISION:
        question, name = body or dict(CHAT_REQUEST), settings.chat.endpoint_name
        if openai:
            answers["streamed" if stream else "chat"] = _by_token(runtime, name, question, role, stream=stream)
        elif stream:
            answers["streamed"] = stream_chat(runtime, name, question)
        else:
            answers["chat"] = invoke(runtime, name, question)
    if which is Which.BOTH:
        answers["streamed"] = stream_chat(runtime, settings.chat.endpoint_name)
    _show(answers, as_json=as_json)
    if which is not Which.DECISION and (hub := settings.chat.hub_model):
        typer.echo(f"The chat model is UNVERIFIED: {hub.repository}/{hub.file} of the Hugging Face hub.", err=as_json)


def _request(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        body = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{file}: is no request: {type(error).__name__}") from error
    if not isinstance(body, dict) or not body:
        raise ConfigurationError(f"{file}: a request is a JSON object")
    return body


def _by_token(
    runtime: "SageMakerRuntimeClient", name: str, body: dict[str, Any], role: str, *, stream: bool
) -> dict[str, Any] | StreamedChat:
    """Ask by the OpenAI-compatible route, with a token that is made for this one question and kept nowhere."""
    region = runtime.meta.region_name
    session = boto3.Session(region_name=region)
    if role:
        given = session.client("sts").assume_role(
            RoleArn=role, RoleSessionName="semif-ops-ask", DurationSeconds=_ROLE_SECONDS
        )["Credentials"]
        session = boto3.Session(given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"], region)
    credentials = session.get_credentials()
    if credentials is None:
        raise BearerError("there are no credentials to make a token with")
    token = bearer_token(credentials.get_frozen_credentials(), region)
    answer = complete(runtime.meta.endpoint_url, name, token, {**body, "stream": True} if stream else body)
    if stream:
        return read_stream(answer)
    completion: dict[str, Any] = json.loads(b"".join(answer))
    return completion


def _show(answers: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        told = {key: vars(each) if isinstance(each, StreamedChat) else each for key, each in answers.items()}
        print_json(OUT, told)
        return
    for key, answer in answers.items():
        say(OUT, f"{key:<9} {_sentence(key, answer)}")


def _sentence(key: str, answer: Any) -> str:  # noqa: ANN401 - an endpoint's own answer
    if isinstance(answer, StreamedChat):
        return answer.sentence
    if key == "decision" and "result" in answer:
        return decision_sentence(answer["result"])
    if key == "chat" and answer.get("choices"):
        return chat_sentence(answer)
    return json.dumps(answer, ensure_ascii=False)
