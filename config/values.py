"""The shapes that pins and names have, each with the rule its error states."""

import re
from collections.abc import Callable
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


class Table(BaseModel):
    """A table of an environment file: frozen, strictly typed, unknown keys refused."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


def _matching(pattern: str, rule: str) -> Callable[[str], str]:
    compiled = re.compile(pattern, re.ASCII)  # \d and \w would take the digits and letters of every script

    def check(value: str) -> str:
        if not compiled.fullmatch(value):
            raise ValueError(f"must be {rule}; this has {len(value)} characters: {value[:80]!r}")
        return value

    return check


def _text(pattern: str, rule: str) -> AfterValidator:
    return AfterValidator(_matching(pattern, rule))


# Hexadecimal digits are compared as text later, so one spelling is kept.
Sha256 = Annotated[str, _text(r"[0-9a-fA-F]{64}", "a SHA-256 of 64 hexadecimal digits"), AfterValidator(str.lower)]
Revision = Annotated[str, _text(r"[0-9a-f]{40}", "a commit of 40 lower-case hexadecimal digits, not a branch or tag")]
ImageDigest = Annotated[
    str, _text(r"sha256:[0-9a-f]{64}", "a digest, sha256: and 64 lower-case hexadecimal digits, not a tag")
]
# SageMaker hosting takes private registries only; the account and region come from elsewhere.
RepositoryName = Annotated[
    str,
    _text(
        r"(?!public\.ecr\.aws|\d{12}\.dkr\.)[a-z0-9]+(?:[._-][a-z0-9]+)*(?:/[a-z0-9]+(?:[._-][a-z0-9]+)*)*",
        "a repository's name in a private ECR registry, without registry, tag or digest (mirror public images first)",
    ),
]
HubRepository = Annotated[
    str,
    _text(
        r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}",
        "owner/name of a repository on the hub, each at most 96 characters with a letter or digit first",
    ),
]
# One whole file: split GGUF files come in sets, of which the container would see only a part.
GgufFile = Annotated[
    str,
    _text(
        r"(?!.*-\d{5}-of-\d{5}\.gguf$)(?!(?i:mmproj))[A-Za-z0-9][A-Za-z0-9._-]{0,94}\.gguf",
        "the bare name (at most 100 characters) of one whole .gguf file, not one part of a split set, not a projector",
    ),
]
GgufPartFile = Annotated[
    str,
    _text(
        r"(?!(?i:mmproj))[A-Za-z0-9][A-Za-z0-9._-]{0,94}\.gguf",
        "the bare name (at most 100 characters) of a .gguf file, not a projector",
    ),
]
HubFolder = Annotated[
    str,
    _text(
        r"[A-Za-z0-9][\w.-]{0,95}(?:/[A-Za-z0-9][\w.-]{0,95}){0,3}",
        "one to four names of folders with / between them, each at most 96 characters with a letter or digit first",
    ),
]
S3Uri = Annotated[
    str,
    _text(
        r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/[\w!.*'()/-]{0,1023}[\w!.*'()-]",
        "s3://bucket/key of one object, of plain letters, digits and !.*'()/_-",
    ),
]
# The ARN and not the name, since a policy can name only the former exactly.
SecretArn = Annotated[
    str,
    _text(
        r"arn:[a-z-]+:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]{1,512}",
        "the full ARN of a secret of Secrets Manager",
    ),
]
LicenseId = Annotated[str, _text(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,63}", "the SPDX id of a licence such as apache-2.0")]
ModelName = Annotated[str, _text(r"[a-z0-9][a-z0-9.-]{0,62}", "1 to 63 of a-z, 0-9, dot and hyphen")]
EnvironmentName = Annotated[str, _text(r"[a-z][a-z0-9-]{0,19}", "1 to 20 of a-z, 0-9 and hyphen, a letter first")]
EndpointName = Annotated[
    str, _text(r"[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?", "1 to 63 letters, digits and inner hyphens")
]
AccountId = Annotated[str, _text(r"\d{12}", "an account of 12 digits")]
Region = Annotated[str, _text(r"[a-z]{2,4}(-[a-z]+)+-\d", "the name of a region such as eu-central-1")]
# Fifteen digits are what builds, handlers and the container read.
PositiveInt = Annotated[int, Field(gt=0, lt=10**15)]
Share = Annotated[float, Field(ge=0, le=1)]
SubnetId = Annotated[str, _text(r"subnet-[0-9a-f]{8,17}", "the id of a subnet such as subnet-0123456789abcdef0")]
SecurityGroupId = Annotated[str, _text(r"sg-[0-9a-f]{8,17}", "the id of a security group such as sg-0123456789abcdef0")]
