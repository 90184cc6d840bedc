"""Stacks that need no bootstrap: what they upload lies in a bucket that a parameter names, and no role is assumed."""

import aws_cdk as cdk

from config.assets_bucket import NAME_PATTERN, PARAMETER, PREFIX


def synthesizer() -> cdk.IReusableStackSynthesizer:
    """Return what writes templates whose assets are <content>.zip below the prefix in the parameter's bucket."""
    return cdk.CliCredentialsStackSynthesizer(file_assets_bucket_name=f"${{{PARAMETER}}}", bucket_prefix=PREFIX)


def declare(app: cdk.App, name: str) -> None:
    """Add the parameter to every stack that has assets.

    Args:
        app: The finished app, made with the synthesizer above.
        name: The bucket's name, the parameter's default.
    """
    for stack in app.node.children:
        if isinstance(stack, cdk.Stack) and any(isinstance(each, cdk.AssetStaging) for each in stack.node.find_all()):
            cdk.CfnParameter(
                stack,
                PARAMETER,
                default=name,
                allowed_pattern=NAME_PATTERN,
                description=f"Bucket of the stack's region that holds the archives of this folder below {PREFIX}",
            )
