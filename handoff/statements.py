"""Pure: statements of IAM policies, merged, and parted into policies that IAM accepts."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from config.assets_bucket import PARAMETER

# IAM counts a managed policy without white space. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
MAX_CHARACTERS = 6144
# As long as what these become in any partition.
_LONGEST = {"AWS::Partition": "aws-us-gov", "AWS::Region": "ap-southeast-1", "AWS::AccountId": "0" * 12}

Statement = dict[str, Any]


def statement(actions: Iterable[str], resources: list[str], *, service: str = "") -> Statement:
    """Allow actions on ARNs; `service` goes before the name of each action that does not name its own."""
    named = [f"{service}:{action}" if service else action for action in actions]
    return {"Effect": "Allow", "Action": sorted(named), "Resource": resources}


def merged(statements: Iterable[Statement]) -> list[Statement]:
    """Return one statement for all actions on the same ARNs."""
    actions: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for each in statements:
        actions[tuple(each["Resource"])] |= set(each["Action"])
    return [statement(found, list(resources)) for resources, found in sorted(actions.items()) if resources]


def parts(statements: Iterable[Statement]) -> Iterator[list[Statement]]:
    """Fill one policy after the other, each to its limit."""
    part: list[Statement] = []
    for each in statements:
        if part and characters([*part, each]) > MAX_CHARACTERS:
            yield part
            part = []
        part.append(each)
    yield part


def characters(statements: Sequence[Statement]) -> int:
    """Return the length of a policy of these statements as IAM counts it, in the partition with the longest names."""
    text = json.dumps({"Version": "2012-10-17", "Statement": statements}, separators=(",", ":"))
    for name, value in {**_LONGEST, PARAMETER: "b" * 63}.items():
        text = text.replace(f"${{{name}}}", value)
    return len(text)
