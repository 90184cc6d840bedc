"""The CDK app: one environment's four stacks, from its settings file."""

import json
import sys
from pathlib import Path

import aws_cdk as cdk

from config.loader import ENVIRONMENTS_DIRECTORY, load
from config.rules import ConfigurationError
from constructs_lib import nag
from stacks.artifact_stack import ArtifactStack
from stacks.build_stack import BuildStack
from stacks.chat_stack import ChatStack
from stacks.decision_stack import DecisionStack

FEATURE_FLAGS = Path(__file__).parent / "cdk.json"


def build(
    environment_name: str | None,
    *,
    environments_directory: Path = ENVIRONMENTS_DIRECTORY,
    outdir: Path | None = None,
    validate_templates: bool | None = None,
) -> cdk.App:
    """Build the app of one environment; nothing is synthesized yet.

    Args:
        environment_name: Which file of the directory.
        environments_directory: Where the environments' files lie.
        outdir: Where to synthesize to; the CLI's choice, or a temporary folder, if None.
        validate_templates: Whether the library's own validator of templates (some seconds) runs; its default if None.

    Raises:
        ConfigurationError: There is no such environment, or it cannot be deployed.
    """
    settings = load(environment_name, environments_directory)
    app = cdk.App(
        context=json.loads(FEATURE_FLAGS.read_text("utf-8"))["context"],
        outdir=str(outdir) if outdir else None,
        builtin_cloud_formation_validation=validate_templates,
    )
    nag.attach(app)
    artifact = ArtifactStack(app, "artifact", settings=settings)
    builds = BuildStack(app, "build", settings=settings)
    builds.add_stack_dependency(artifact)
    for endpoint in (ChatStack(app, "chat", settings=settings), DecisionStack(app, "decision", settings=settings)):
        endpoint.add_stack_dependency(builds)
    return app


def main() -> None:
    """Synthesize the environment that the CLI's context names."""
    context = cdk.App(auto_synth=False).node
    directory = context.try_get_context("environments_directory") or ENVIRONMENTS_DIRECTORY
    try:
        build(context.try_get_context("environment"), environments_directory=Path(directory)).synth()
    except ConfigurationError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
