"""Command line: `python -m ops ask --environment dev`; `bootstrapped` and `names` are what `make deploy` asks first."""

import argparse
import sys
from pathlib import Path

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from config.loader import ENVIRONMENTS_DIRECTORY, load
from config.rules import ConfigurationError
from config.settings import Settings
from ops.ask import ask_chat, ask_decision, chat_sentence, decision_sentence, runtime_client
from ops.bootstrapped import bootstrap_version
from ops.chat_stream import StreamCutError, stream_chat
from ops.endpoint_names import renamings


def ask(settings: Settings) -> int:
    """Ask both endpoints of an environment, the chat endpoint once more as a stream, and print a line for each."""
    runtime = runtime_client(settings.environment.region)
    print("decision ", decision_sentence(ask_decision(runtime, settings.decision.endpoint_name)))
    print("chat     ", chat_sentence(ask_chat(runtime, settings.chat.endpoint_name)))
    print("streamed ", stream_chat(runtime, settings.chat.endpoint_name).sentence)
    if hub := settings.chat.hub_model:
        print(f"The chat model is UNVERIFIED: {hub.repository}/{hub.file} of the Hugging Face hub.")
    return 0


def bootstrapped(settings: Settings) -> int:
    """Exit 0 when the environment's account and region are bootstrapped, 1 when not."""
    version = bootstrap_version(boto3.client("ssm", region_name=settings.environment.region))
    print("not bootstrapped yet" if version is None else f"bootstrapped, version {version}")
    return int(version is None)


def names(settings: Settings) -> int:
    """Exit 0 when every endpoint keeps the name it is deployed under, 1 with the way to another one when not."""
    sentences = renamings(boto3.client("cloudformation", region_name=settings.environment.region), settings)
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    return int(bool(sentences))


COMMANDS = {"ask": ask, "bootstrapped": bootstrapped, "names": names}


def main() -> int:
    """Run one command for one environment."""
    parser = argparse.ArgumentParser(prog="python -m ops", description=__doc__)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--environment", required=True)
    parser.add_argument("--environments-directory", type=Path, default=ENVIRONMENTS_DIRECTORY)
    arguments = parser.parse_args()
    try:
        return COMMANDS[arguments.command](load(arguments.environment, arguments.environments_directory))
    except (ConfigurationError, StreamCutError, BotoCoreError, ClientError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
