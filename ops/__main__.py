"""Command line: `python -m ops running --environment dev`. `make deploy` asks `bootstrapped` and `names` first."""

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
from ops.failures import failures
from ops.running import Clients, running


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


def what_runs(settings: Settings) -> int:
    """Print what both endpoints run; 1 if one of them is not in service or says something else than was deployed."""
    region = settings.environment.region
    clients = Clients(
        boto3.client("cloudformation", region_name=region),
        boto3.client("sagemaker", region_name=region),
        runtime_client(region),
    )
    endpoints = running(clients, settings)
    for endpoint in endpoints:
        print("\n".join(endpoint.lines()))
    return int(any(endpoint.differences for endpoint in endpoints))


def why(settings: Settings) -> int:
    """Print the state of every stack, and why the last operation on it failed, if it did."""
    cloudformation = boto3.client("cloudformation", region_name=settings.environment.region)
    print("\n".join(failures(cloudformation, settings.environment.name)))
    return 0


COMMANDS = {"ask": ask, "bootstrapped": bootstrapped, "names": names, "running": what_runs, "why": why}


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
