"""What the update matrix changes in the environment's file: machines, images, the model, scaling and guardrails."""

import re
from typing import Final

from config.loader import ENVIRONMENTS_DIRECTORY, load
from local_aws.checkout import SOURCE_BUCKET
from tests.local_aws.story import Story

PINNED: Final = load("local").model.sha256
CHAT_DIGEST: Final = r'(\[images\.chat\].*?digest = )"sha256:[0-9a-f]{64}"'
BASE_DIGEST: Final = r'(\[images\.decision_base\].*?digest = )"sha256:[0-9a-f]{64}"'
CHAT_TYPE: Final = r'(\[chat\].*?instance_type = )"[^"]+"'
# Scaling and guardrails of each endpoint, as they stand in the file.
_CHAT_TABLES: Final = r"\[chat\.guardrails\].*?(?=\[)"
_DECISION_TABLES: Final = r"\[decision\.scaling\].*?(?=\[decision\.limits\])"


def without_scaling_and_guardrails(story: Story) -> str:
    """Return the file without the tables of both endpoints."""
    return story.edited((_CHAT_TABLES, ""), (_DECISION_TABLES, ""))


def with_scaling_and_guardrails(story: Story) -> str:
    """Return the file with the tables that the checkout's has."""
    local = (ENVIRONMENTS_DIRECTORY / "local.toml").read_text("utf-8")
    tables = [found[0] for table in (_CHAT_TABLES, _DECISION_TABLES) if (found := re.search(table, local, re.DOTALL))]
    assert len(tables) == 2
    return story.edited((r"(?=\[protection\])", "".join(tables)))


def with_pools(story: Story) -> str:
    """Return the file with two pools in place of the decision endpoint's instance type."""
    pools = "".join(
        f'[[decision.instance_pools]]\ninstance_type = "{name}"\npriority = {priority}\n\n'
        for priority, name in enumerate(("ml.c6i.large", "ml.m6i.large"), start=1)
    )
    timeout = r"\1variant_instance_provision_timeout_seconds = 1200\n"
    return story.edited(
        (r'(endpoint_name = "semif-local-decision"\n)instance_type = "[^"]+"\n', timeout),
        (r"(?=\[decision\.limits\])", pools),
    )


def with_model(story: Story, digest: str) -> str:
    """Return the file with another model, from another folder of the source's bucket."""
    return story.edited((PINNED, digest), (f"s3://{SOURCE_BUCKET}/", f"s3://{SOURCE_BUCKET}/other/"))
