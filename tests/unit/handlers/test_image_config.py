"""An image is what its tag and its own configuration say, or it is refused."""

import json

import pytest

from image_config import download
from image_manifest import DOCKER_IMAGE, DOCKER_LIST
from lifecycle import RefusedError
from tests.unit.handlers.fake_registry import LAYER, FakeRegistry, ask, config, digest_of, image, listing, text

LAYERS = [{"mediaType": LAYER, "digest": "sha256:a"}]


def test_a_tag_is_refused_where_a_digest_is_required() -> None:
    """The registry is not asked what the tag is at the moment."""
    registry = FakeRegistry({"v1": image()})

    with pytest.raises(
        RefusedError, match=r"Reference: v1 is a tag, which may move; a digest \(sha256:…\) is required"
    ):
        ask(registry, "v1", {"Tags": "refused"})

    assert registry.asked == []


@pytest.mark.parametrize("mutability", ["MUTABLE", "IMMUTABLE_WITH_EXCLUSION", "MUTABLE_WITH_EXCLUSION"])
def test_a_tag_that_may_move_is_refused(mutability: str) -> None:
    """A tag made of content is only taken from a repository in which no tag moves."""
    registry = FakeRegistry({"v1": image()}, mutability=mutability)

    with pytest.raises(RefusedError, match=f"Repository llama-cpp has tags that are {mutability}, so v1 may move"):
        ask(registry, "v1")


@pytest.mark.parametrize("content", ["v2", None])
def test_a_tag_with_an_image_of_other_content_is_refused(content: str | None) -> None:
    """The label says what the image was made from; a tag is only believed if it says the same."""
    with pytest.raises(RefusedError, match=f"is labelled semif.content = {content}, but tagged v1"):
        ask(FakeRegistry({"v1": image(content=content)}), "v1")


@pytest.mark.parametrize("listed", [False, True])
def test_an_image_of_another_architecture_is_refused(*, listed: bool) -> None:
    """What the image says of itself counts, not the list that leads to it or the pin."""
    arm = image(architecture="arm64")
    reference = listing(DOCKER_LIST, (arm, "linux", "amd64")) if listed else arm

    with pytest.raises(RefusedError, match="is an image for linux/arm64; wanted is linux/amd64"):
        ask(FakeRegistry({}, [arm, reference]), digest_of(reference))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"{}", "hashes to sha256:44136fa3"),
        (b" " * (4 * 1024 * 1024 + 1), "has more than 4194304 bytes"),
    ],
)
def test_a_configuration_of_other_bytes_is_refused(content: bytes, sentence: str) -> None:
    """It is named by its digest, and read within bounds."""
    named = json.loads(image())["config"]["digest"]

    with pytest.raises(RefusedError, match=sentence):
        ask(FakeRegistry({"v1": image()}, configs={named: content}), "v1")


@pytest.mark.parametrize("content", ["no JSON", "[]", "{}"])
def test_a_configuration_that_names_no_platform_is_refused(content: str) -> None:
    """Whatever it is, it is no image for ours."""
    stored = text(DOCKER_IMAGE, config=config() | {"digest": digest_of(content)}, layers=LAYERS)
    registry = FakeRegistry({}, [stored], configs={digest_of(content): content.encode()})

    with pytest.raises(RefusedError, match=r"is not JSON|is not a JSON object|is an image for None/None"):
        ask(registry, digest_of(stored))


@pytest.mark.parametrize("digest", ["sha256:abc", "latest", None])
def test_a_configuration_with_a_malformed_digest_is_refused(digest: str | None) -> None:
    """Nothing is downloaded that could not be compared."""
    stored = text(DOCKER_IMAGE, config=config() | {"digest": digest}, layers=LAYERS)

    with pytest.raises(RefusedError, match="names its configuration by a malformed digest"):
        ask(FakeRegistry({}, [stored]), digest_of(stored))


def test_a_download_that_fails_at_first_is_repeated_and_then_refused_without_its_signature() -> None:
    """Attempts are bounded; the address is as good as a password."""
    assert ask(FakeRegistry({"v1": image()}, unreachable=4), "v1")["Digest"] == digest_of(image())

    registry = FakeRegistry({"v1": image()}, unreachable=5)
    with pytest.raises(RefusedError, match="cannot be downloaded: OSError") as refused:
        ask(registry, "v1")

    assert registry.slept == [1, 2, 4, 8]
    assert "secret" not in str(refused.value)


def test_an_address_that_is_not_encrypted_is_not_opened() -> None:
    """A configuration's digest would show a change, but nobody should read along either."""
    with pytest.raises(RefusedError, match="not https"):
        download("http://layers.example/")
