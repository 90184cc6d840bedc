"""The CDK app: one environment's five stacks, from its settings file."""

import json
import sys
from pathlib import Path

import aws_cdk as cdk

from config.loader import ENVIRONMENTS_DIRECTORY, load
from config.rules import ConfigurationError
from constructs_lib import handed_over, nag
from stacks.artifact_stack import ArtifactStack
from stacks.build_stack import BuildStack
from stacks.chat_stack import ChatStack
from stacks.decision_stack import DecisionStack
from stacks.monitoring_stack import MonitoringStack


def build(
    environment: str | None,
    *,
    directory: Path = ENVIRONMENTS_DIRECTORY,
    outdir: str | None = None,
    validate_templates: bool | None = None,
    assets_bucket: str | None = None,
) -> cdk.App:
    """Build an environment's app without synthesizing it.

    validate_templates adds the CDK's own validator (seconds); with an assets_bucket the templates need no bootstrap.

    Raises:
        ConfigurationError: There is no such environment, or it cannot be deployed.
    """
    settings = load(environment, directory)
    app = cdk.App(
        context=json.loads(Path(__file__).with_name("cdk.json").read_text("utf-8"))["context"],
        outdir=outdir,
        default_stack_synthesizer=handed_over.synthesizer() if assets_bucket else None,
        builtin_cloud_formation_validation=validate_templates,
        analytics_reporting=False,  # it would add to each template a resource of statistics and a list of regions
    )
    nag.attach(app)
    try:
        artifact = ArtifactStack(app, "artifact", settings=settings)
        builds = BuildStack(app, "build", settings=settings)
        monitoring = MonitoringStack(app, "monitoring", settings=settings)
        for stack in (builds, monitoring):
            stack.add_stack_dependency(artifact)
        for endpoint in (ChatStack(app, "chat", settings=settings), DecisionStack(app, "decision", settings=settings)):
            endpoint.add_stack_dependency(builds)
    except ConfigurationError as error:
        raise ConfigurationError(f"{environment}.toml: {error}") from error
    if assets_bucket:
        handed_over.declare(app, assets_bucket)
    return app


def main() -> None:
    """Synthesize the environment that the command line's context names."""
    context = cdk.App(auto_synth=False).node
    directory = Path(context.try_get_context("environments_directory") or ENVIRONMENTS_DIRECTORY)
    try:
        build(context.try_get_context("environment"), directory=directory).synth()
    except ConfigurationError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
