"""Nothing in a template ties it to a partition, an account or a region that the settings do not name."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.template.synthesis import ENVIRONMENTS, STACKS, flat, settings_of, template

# The names of services by which roles and policies trust them; they are the same in every partition.
SERVICE_PRINCIPAL = re.compile(r"[a-z][a-z0-9-]*(?:\.s3)?\.amazonaws\.com")
PARTITION = re.compile(r"arn:aws[a-z-]*:")
SUFFIX = re.compile(r"amazonaws\.com|api\.aws")
REGION = re.compile(r"\b(?:us|eu|ap|sa|ca|me|af|cn|il|mx)-(?:gov-|iso[a-z]?-)?[a-z]+-[0-9]\b")
ACCOUNT = re.compile(r"(?<![0-9a-f])[0-9]{12}(?![0-9a-f])")


def _texts(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Return every text of a template with its path; joined texts as one, keys as well as values."""
    match value:
        case {"Fn::Join": _}:
            yield path, flat(value)
        case dict():
            for key, each in value.items():
                yield path, key
                yield from _texts(each, (*path, key))
        case list():
            for each in value:
                yield from _texts(each, path)
        case str():
            yield path, value


def _found(environment: str, stack: str) -> list[tuple[str, str]]:
    """Return path and text of every literal partition, suffix, account or region."""
    place = settings_of(environment).environment
    content = dict(template(environment, stack).content)
    content.pop("Mappings", None)  # facts about regions, which is where literals belong
    found = []
    for path, text in _texts(content):
        foreign = [each for each in ACCOUNT.findall(text) if each not in (place.account, place.registry_account)]
        foreign += [each for each in REGION.findall(text) if each != place.region]
        is_principal = path[-2:] == ("Principal", "Service") and SERVICE_PRINCIPAL.fullmatch(text)
        if foreign or PARTITION.search(text) or (SUFFIX.search(text) and not is_principal):
            found.append(("/".join(path), text))
    return found


@pytest.mark.rule(
    "No template holds a partition, URL suffix, account or region that its settings do not name",
    tool="CDK",
    emulated="",
)
@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("stack", STACKS)
def test_template_has_no_literal_partition_suffix_account_or_region(environment: str, stack: str) -> None:
    """Partition and suffix are pseudo parameters in every environment; account and region where none is chosen."""
    assert _found(environment, stack) == []


@pytest.mark.parametrize(
    "text",
    [
        "arn:aws:s3:::bucket",
        "arn:aws-cn:s3:::bucket",
        "763104351884.dkr.ecr.<AWS::Region>.<AWS::URLSuffix>/llama-cpp",
        "x.dkr.ecr.<AWS::Region>.amazonaws.com/llama-cpp",
        "com.amazonaws.eu-central-1.s3",
    ],
)
def test_scan_finds_what_it_looks_for(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """A literal planted in a template is found: the scan can fail."""
    planted = {"Resources": {"A": {"Properties": {"B": ["x", text]}}}}
    monkeypatch.setattr(template("dev", "chat"), "content", planted)

    assert _found("dev", "chat") == [("Resources/A/Properties/B", text)]
