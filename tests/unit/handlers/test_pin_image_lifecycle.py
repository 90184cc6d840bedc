"""The custom resource of an image: properties, attempts, ids, and refusals that fit."""

from collections.abc import Mapping
from typing import Any

import pytest

from lifecycle import RefusedError
from pin_image import on_event
from tests.unit.handlers.archives import request, response_bytes
from tests.unit.handlers.fake_registry import (
    HOST,
    FakeRegistry,
    ask,
    digest_of,
    image,
    properties,
)


def test_a_missing_image_is_named_after_bounded_attempts() -> None:
    """The sentence names registry, repository and reference."""
    registry = FakeRegistry()

    with pytest.raises(RefusedError, match="Repository llama-cpp of registry 763104351884 has no image v1"):
        ask(registry, "v1")

    assert len(registry.asked) == 5


def test_an_image_that_appears_late_is_found() -> None:
    """A registry may answer a push before it shows the image."""
    registry = FakeRegistry({"v1": image()}, late=3)

    assert ask(registry, "v1")["Digest"] == digest_of(image())
    assert registry.slept == [1, 2, 4]


def test_a_failure_other_than_absence_is_not_asked_again() -> None:
    """Waiting does not repair it."""
    registry = FakeRegistry(failure="ImageInaccessible")

    with pytest.raises(RefusedError, match="ImageInaccessible"):
        ask(registry, "v1")

    assert len(registry.asked) == 1


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"RepositoryUri": "public.ecr.aws/deep-learning-containers/llama-cpp"}, "RepositoryUri"),
        ({"RepositoryUri": f"{HOST}/other"}, "is not repository llama-cpp"),
        ({"RegistryId": "111122223333"}, "of registry 111122223333"),
        ({"RegistryId": "7631043518840"}, "RegistryId"),
        ({"Reference": "sha256:abc"}, "Reference"),
        ({"Reference": "sha256:" + "A" * 64}, "Reference"),
        ({"Reference": "sha512:" + "a" * 64}, "Reference"),
        ({"Reference": "sha256:" + "a" * 65}, "Reference"),
        ({"Reference": "v1@sha256:" + "a" * 64}, "Reference"),
        ({"Tags": "mutable"}, "Tags"),
        ({"Reference": "v1 "}, "Reference"),
        ({"Tag": "v1"}, "Tag: not a property"),
    ],
)
def test_a_malformed_property_is_refused_before_the_registry_is_asked(
    changes: Mapping[str, object], sentence: str
) -> None:
    """The sentence names the property."""

    def unreachable(region: str) -> FakeRegistry:
        raise AssertionError(region)

    with pytest.raises(RefusedError, match=sentence):
        on_event(request("Create", properties("v1", changes)), None, unreachable)


def test_a_uri_too_long_for_sagemaker_is_refused() -> None:
    """SageMaker takes 255 characters."""
    name = "a" * 180
    registry = FakeRegistry({"v1": image()})
    event = request("Create", properties("v1", {"RepositoryName": name, "RepositoryUri": f"{HOST}/{name}"}))

    class Anywhere(FakeRegistry):
        def batch_get_image(self, **call: Any) -> dict[str, Any]:
            return registry.batch_get_image(**call | {"repositoryName": "llama-cpp"})

        def describe_repositories(self, **_: Any) -> dict[str, Any]:
            return {"repositories": [{"imageTagMutability": "IMMUTABLE"}]}

    with pytest.raises(RefusedError, match="longer than 255"):
        on_event(event, None, lambda _: Anywhere(), registry.slept.append, registry.fetch)


def test_update_keeps_the_id_and_delete_asks_nobody() -> None:
    """The lifecycle is that of a resource that owns nothing."""
    registry = FakeRegistry({"v1": image()})
    event = request("Update", properties("v1"), "old id")

    def unreachable(region: str) -> FakeRegistry:
        raise AssertionError(region)

    answered = on_event(event, None, lambda _: registry, registry.slept.append, registry.fetch)
    assert answered["PhysicalResourceId"] == "old id"
    assert on_event(request("Delete", {}, "whatever"), None, unreachable) == {"PhysicalResourceId": "whatever"}


def test_a_refusal_with_a_hostile_manifest_fits_the_response() -> None:
    """A media type of any length and alphabet is cut."""
    event = request("Create", properties("v1"))
    registry = FakeRegistry({"v1": image()})

    class Hostile(FakeRegistry):
        def batch_get_image(self, **call: Any) -> dict[str, Any]:
            answered = registry.batch_get_image(**call)
            answered["images"][0]["imageManifestMediaType"] = "\N{CLOUD}\n" * 9000
            return answered

    with pytest.raises(RefusedError) as refused:
        on_event(event, None, lambda _: Hostile())

    assert response_bytes(event, str(refused.value)) <= 4096
