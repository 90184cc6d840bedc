"""The bucket of a hand-over: the parameter that names it, where archives lie in it, and what it can be called."""

import re

from config.rules import ConfigurationError

PARAMETER = "AssetsBucket"
PREFIX = "semif/"
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
NAME_PATTERN = "[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]"
_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+")
_RESERVED_BEGINNINGS = ("xn--", "sthree-", "amzn-s3-demo-")
_RESERVED_ENDS = ("-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3")


def check_name(name: str) -> None:
    """Refuse what S3 would refuse as the name of a bucket.

    Raises:
        ConfigurationError: One sentence says which rule the name breaks.
    """
    if rule := _broken_rule(name):
        raise ConfigurationError(f"ASSETS_BUCKET: {name!r} is no name of a bucket: {rule}.")


def _broken_rule(name: str) -> str | None:
    if not re.fullmatch(NAME_PATTERN, name):
        return "it takes 3 to 63 of a-z, 0-9, dot and hyphen, a letter or digit at both ends"
    if ".." in name:
        return "two dots must not follow each other"
    if _ADDRESS.fullmatch(name):
        return "it must not look like an IP address"
    if name.startswith(_RESERVED_BEGINNINGS) or name.endswith(_RESERVED_ENDS):
        return "S3 keeps this beginning or end for itself"
    return None
