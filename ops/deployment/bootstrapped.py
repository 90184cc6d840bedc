"""Whether the CDK bootstrap stack is there, asked through the version parameter it leaves."""

from typing import Protocol

# cdk.json does not change the qualifier, so this is the default one of the bootstrap template.
VERSION_PARAMETER = "/cdk-bootstrap/hnb659fds/version"


class ParameterStore(Protocol):
    """The part of the SSM client used here."""

    def get_parameters(self, *, Names: list[str]) -> "dict[str, list[dict[str, str]]]":  # noqa: N803 - boto3's spelling
        """Return the parameters that exist and the names of those that do not."""
        ...


def bootstrap_version(parameters: ParameterStore) -> int | None:
    """Return the version of the bootstrap stack in the client's account and region, or None.

    Raises:
        botocore.exceptions.ClientError: the caller may not read the parameter.
    """
    found = parameters.get_parameters(Names=[VERSION_PARAMETER])["Parameters"]
    return int(found[0]["Value"]) if found else None
