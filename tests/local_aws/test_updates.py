"""The update matrix: one environment, deployed, changed, broken, mended and destroyed by the genuine CDK command line.

The steps follow each other in this order and share one embedded AWS. After each of them both endpoints are asked.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from local_aws.checkout import DLC_REPOSITORY, SOURCE_BUCKET, SOURCE_MODEL
from local_aws.demo import leftovers
from local_aws.deployment import Deployment
from local_aws.questions import CHAT, DECISION
from local_aws.session import LocalAws
from local_aws.stand_in_image import CHAT_ROLE, ROLE_LABEL, stand_in
from tests.local_aws import environment_edits as edits
from tests.local_aws.edited_check import allowing_bodies_of, editing, wanting
from tests.local_aws.operators_command import operate
from tests.local_aws.published_archive import published, swapped_behind_the_policy
from tests.local_aws.story import Story

pytestmark = [pytest.mark.local_aws, pytest.mark.slow, pytest.mark.timeout(900)]

ABSENT = "sha256:" + "0" * 64


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """An embedded AWS, bootstrapped, with nothing deployed, and an environment that retains its data."""
    with LocalAws(name="updates") as aws:
        deployment = Deployment(aws.address)
        deployment.synthesize()
        deployment.bootstrap()
        told = Story(deployment, tmp_path_factory.mktemp("updates"))
        told.text = told.edited((r"retain_data = false", "retain_data = true"))
        yield told


def _answering(story: Story) -> tuple[list[float], str]:
    return story.ask().comparable()


def test_deployment_after_a_failed_first_create(story: Story) -> None:
    """A chat stack that never came up says what is wrong, and the next deployment makes it anew."""
    outcome = story.attempt(story.edited((edits.CHAT_DIGEST, rf'\1"{ABSENT}"')))

    assert outcome.code != 0
    assert ABSENT in outcome.output
    assert story.status("chat") == "ROLLBACK_COMPLETE"
    assert story.status("decision") == "CREATE_COMPLETE"

    story.become(story.text, "chat")
    assert "Paris" in _answering(story)[1]


def test_new_instance_type(story: Story) -> None:
    """Another instance type replaces the process, and the answers stay the same."""
    before, answers = story.processes(), _answering(story)

    story.become(story.edited((edits.CHAT_TYPE, r'\1"ml.c6i.xlarge"')), "chat")

    assert story.variant(CHAT)["InstanceType"] == "ml.c6i.xlarge"
    assert story.processes()[CHAT] != before[CHAT]
    assert story.processes()[DECISION] == before[DECISION]
    assert _answering(story) == answers


def test_pools_of_a_scaled_endpoint_are_refused(story: Story) -> None:
    """What scales cannot change its machines: the deployment fails with the way out, and the old process answers."""
    before, answers = story.processes(), _answering(story)

    outcome = story.attempt(edits.with_pools(story), "decision")

    assert outcome.code != 0
    assert "its instance type can be changed only after it was deregistered" in outcome.output
    assert story.status("decision") == "UPDATE_ROLLBACK_COMPLETE"
    assert (story.processes(), _answering(story)) == (before, answers)


def test_scaling_and_guardrails_off(story: Story) -> None:
    """Without their tables nothing scales, no alarm guards an endpoint, and the processes stay."""
    before, answers = story.processes(), _answering(story)
    assert story.scalable_targets()

    story.become(edits.without_scaling_and_guardrails(story), "chat", "decision")

    assert not story.scalable_targets()
    assert (story.processes(), _answering(story)) == (before, answers)


def test_pools_in_place_of_an_instance_type(story: Story) -> None:
    """Instance pools take the place of the type in the configuration, and the answers stay the same."""
    answers = _answering(story)

    story.become(edits.with_pools(story), "decision")

    variant = story.variant(DECISION)
    assert [pool["InstanceType"] for pool in variant["InstancePools"]] == ["ml.c6i.large", "ml.m6i.large"]
    assert "InstanceType" not in variant
    assert _answering(story) == answers


def test_scaling_and_guardrails_on(story: Story) -> None:
    """With their tables the endpoint scales and is guarded again, and the processes stay."""
    before, answers = story.processes(), _answering(story)

    story.become(edits.with_scaling_and_guardrails(story), "chat", "decision")

    assert story.scalable_targets()
    assert (story.processes(), _answering(story)) == (before, answers)


def test_new_image_digest(story: Story) -> None:
    """A newer image is pulled by chat and is the base of a newly built decision image."""
    before, answers, image = story.processes(), _answering(story), story.identity()["image_digest"]
    newer = story.push(DLC_REPOSITORY, "newer", stand_in({ROLE_LABEL: CHAT_ROLE, "release": "newer"}))

    story.become(
        story.edited((edits.CHAT_DIGEST, rf'\1"{newer}"'), (edits.BASE_DIGEST, rf'\1"{newer}"')),
        "build",
        "chat",
        "decision",
    )

    assert all(story.processes()[name] != before[name] for name in before)
    assert story.identity()["image_digest"] != image
    assert _answering(story) == answers


@pytest.mark.rule(
    "a new image that does not start fails the deployment, and the old one keeps answering",
    tool="CDK command line",
    emulated="CloudFormation's rollback; that SageMaker refuses the image",
)
def test_failing_new_image_leaves_the_old_one_answering(story: Story) -> None:
    """An image that is there and does not start fails the deployment, and the process in service stays."""
    before, answers = story.processes(), _answering(story)
    broken = story.push(DLC_REPOSITORY, "broken", stand_in({ROLE_LABEL: "nothing that serves"}))

    outcome = story.attempt(story.edited((edits.CHAT_DIGEST, rf'\1"{broken}"')), "chat")

    assert outcome.code != 0
    assert f"Endpoint {CHAT} failed" in outcome.output
    assert story.status("chat") == "UPDATE_ROLLBACK_COMPLETE"
    assert (story.processes(), _answering(story)) == (before, answers)


@pytest.mark.rule(
    "a rolled back model is not built again",
    tool="CDK command line, the decision container's own word for what it serves",
    emulated="which builds CodeBuild has run",
)
def test_new_model_and_back(story: Story) -> None:
    """Another model is packaged, verified and named by the answers; going back builds nothing."""
    former, builds = story.text, story.address.client("codebuild")
    content, digest = published(story.address).swapped_model()
    root = story.address.client("s3", root=True)
    root.put_object(Bucket=SOURCE_BUCKET, Key=f"other/{SOURCE_MODEL.name}", Body=content)

    story.become(edits.with_model(story, digest), "build", "chat", "decision")
    assert story.identity()["gguf"]["sha256"] == digest
    assert "Paris" in _answering(story)[1]
    count = len(builds.list_builds()["ids"])

    story.become(former, "build", "chat", "decision")
    assert story.identity()["gguf"]["sha256"] == edits.PINNED
    assert "Paris" in _answering(story)[1]
    assert len(builds.list_builds()["ids"]) == count


def test_failing_model_verification(story: Story) -> None:
    """An archive that was swapped behind the policy fails what verifies it anew, and the old process answers."""
    before, answers = story.processes(), _answering(story)
    _, other = published(story.address, edits.PINNED).swapped_model()

    with swapped_behind_the_policy(story.address, other) as digest:
        outcome = story.attempt(edits.with_model(story, other), "chat")

    assert outcome.code != 0
    assert story.status("chat") == "UPDATE_ROLLBACK_COMPLETE"
    assert any(digest in line and other in line for line in outcome.output.splitlines())
    assert (story.processes(), _answering(story)) == (before, answers)


def test_failing_post_deploy_check(story: Story) -> None:
    """An endpoint that answers otherwise than pinned is taken back to what answered before."""
    before, answers = story.processes(), _answering(story)
    edit = editing(allowing_bodies_of(300_000), wanting('"threads":1', '"threads":3'), anew=True)

    outcome = story.attempt_edited("decision", edit)

    assert outcome.code != 0
    assert "answer.result.model.threads: wanted 3, found 1" in outcome.output
    assert story.status("decision") == "UPDATE_ROLLBACK_COMPLETE"
    assert story.processes()[CHAT] == before[CHAT]
    assert _answering(story) == answers


@pytest.mark.rule(
    "`make deploy` refuses to rename an endpoint and says how to do it",
    tool="the operator's command",
    emulated="the deployed stack's outputs",
)
def test_renamed_endpoint_is_refused_with_the_way_to_do_it(story: Story) -> None:
    """What `make deploy` asks first refuses another name for a deployed endpoint, and says how to move."""
    renamed = story.edited((f'endpoint_name = "{CHAT}"', 'endpoint_name = "semif-local-other"'))

    code, (sentence,) = _names(story, renamed)

    assert code == 1
    assert f"semif-local-chat serves {CHAT}" in sentence
    assert "Write a second environment" in sentence
    assert _names(story, story.text) == (0, [])
    assert "Paris" in _answering(story)[1]


def _names(story: Story, text: str) -> tuple[int, Any]:
    return operate(story.address, "names", "local", "--environments-directory", str(story.environments(text)))


def test_destroyed_with_retained_data(story: Story) -> None:
    """Where data is retained, bucket, repository, key and the endpoints' logs are there when every stack is gone."""
    bucket = published(story.address, edits.PINNED).bucket

    story.deployment.destroy(story.synthesized(story.text))

    assert [name for name in leftovers(story.address) if name.startswith("semif-local-")] == _retained(story)
    assert bucket in _retained(story)
    assert {f"/aws/sagemaker/Endpoints/{name}" for name in (CHAT, DECISION)} <= _log_groups(story)


@pytest.mark.rule(
    "an environment is deployed again over what an earlier one retained",
    tool="CDK command line",
    emulated="CloudFormation's import of log groups that exist",
)
def test_deployed_again_over_what_was_retained(story: Story) -> None:
    """The next deployment takes the endpoints' log groups up again and makes the rest anew."""
    refused = story.attempt(story.text, "artifact", "build", "chat")
    assert refused.code != 0
    assert f'"/properties/LogGroupName":"/aws/sagemaker/Endpoints/{CHAT}"}}\' already exists' in refused.output

    story.become(story.text, import_existing=True)

    assert "Paris" in _answering(story)[1]
    assert len(_retained(story)) == 4


def test_destroyed_without_retained_data(story: Story) -> None:
    """Where data is not retained, everything that this deployment made is gone; what an earlier one retained is not."""
    story.become(story.edited((r"retain_data = true", "retain_data = false")))
    kept = set(_retained(story))
    assert "Paris" in _answering(story)[1]

    story.deployment.destroy(story.synthesized(story.text))

    assert len(kept - set(_retained(story))) == 2
    assert not {f"/aws/sagemaker/Endpoints/{name}" for name in (CHAT, DECISION)} & _log_groups(story)


def _retained(story: Story) -> list[str]:
    buckets = [bucket["Name"] for bucket in story.address.client("s3").list_buckets()["Buckets"]]
    return [name for name in buckets if name.startswith("semif-local-artifact")]


def _log_groups(story: Story) -> set[str]:
    groups = story.address.client("logs").describe_log_groups()["logGroups"]
    return {group["logGroupName"] for group in groups}
