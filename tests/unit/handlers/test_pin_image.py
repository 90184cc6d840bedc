"""An image's reference becomes the digest of the one platform image that SageMaker takes, or a sentence."""

import json

import pytest

from image_manifest import DOCKER_IMAGE, DOCKER_LIST, OCI_IMAGE, OCI_INDEX
from lifecycle import RefusedError
from tests.unit.handlers.fake_registry import (
    HOST,
    LAYER,
    FakeRegistry,
    ask,
    config,
    digest_of,
    entry,
    image,
    listing,
    text,
)

LAYERS = [{"mediaType": LAYER, "digest": "sha256:a"}]
# What buildx adds to an image unless it is told not to.
STATEMENT = [{"mediaType": "application/vnd.in-toto+json", "digest": "sha256:a"}]


@pytest.mark.parametrize("reference", ["v1", digest_of(image())])
def test_a_platform_image_is_answered_with_its_own_digest(reference: str) -> None:
    """A tag is resolved to a digest, and a digest to itself; the URI names the digest and no tag."""
    registry = FakeRegistry({"v1": image()})

    assert ask(registry, reference) == {
        "ImageUri": f"{HOST}/llama-cpp@{digest_of(image())}",
        "Digest": digest_of(image()),
        "MediaType": DOCKER_IMAGE,
    }


@pytest.mark.parametrize("media_type", [DOCKER_LIST, OCI_INDEX])
@pytest.mark.parametrize(("platform", "layer"), [("linux/amd64", "a"), ("linux/arm64", "b")])
def test_a_list_is_answered_with_its_one_image_for_the_platform(media_type: str, platform: str, layer: str) -> None:
    """Other platforms and attestations in the list do not matter."""
    arm, attestation = image(layer="b", architecture="arm64"), image(OCI_IMAGE, "c")
    index = listing(
        media_type, (arm, "linux", "arm64"), (image(), "linux", "amd64"), (attestation, "unknown", "unknown")
    )
    registry = FakeRegistry({"v1": index}, [image(), arm, attestation])

    assert ask(registry, "v1", {"Platform": platform})["Digest"] == digest_of({"a": image(), "b": arm}[layer])


@pytest.mark.rule(
    "an image that SageMaker refuses (OCI) is refused at deploy, with how to build it",
    tool="the handler, driven directly",
    emulated="the registry's answers",
)
@pytest.mark.parametrize("stored", [image(OCI_IMAGE), listing(OCI_INDEX, (image(OCI_IMAGE), "linux", "amd64"))])
def test_an_oci_image_is_refused_with_the_way_out(stored: str) -> None:
    """Whether it stands alone or in an index, the sentence says who refuses it and how to build another."""
    registry = FakeRegistry({"v1": stored}, [image(OCI_IMAGE)])

    with pytest.raises(RefusedError, match=r"SageMaker refuses.*--provenance=false"):
        ask(registry, "v1")


@pytest.mark.parametrize(
    ("entries", "count"),
    [
        ((), 0),
        (((image(), "linux", "arm64"),), 0),
        (((image(), "windows", "amd64"),), 0),
        (((image(), "linux", "amd64"), (image(layer="b"), "linux", "amd64")), 2),
    ],
)
def test_a_list_without_exactly_one_image_for_the_platform_is_refused(
    entries: tuple[tuple[str, str, str], ...], count: int
) -> None:
    """None or several: nobody chooses for the operator."""
    with pytest.raises(RefusedError, match=f"lists {count} images for linux/amd64"):
        ask(FakeRegistry({"v1": listing(DOCKER_LIST, *entries)}, [image()]), "v1")


def test_an_attestation_is_not_an_image_of_the_platform_it_attests() -> None:
    """Entries that say what they attest do not count, whatever platform they name."""
    attests = entry(image(layer="b"), "linux", "amd64", **{"vnd.docker.reference.type": "attestation-manifest"})
    image_entry = entry(image(), "linux", "amd64")
    stored = {
        "both": text(OCI_INDEX, manifests=[attests, image_entry]),
        "alone": text(OCI_INDEX, manifests=[attests]),
    }
    registry = FakeRegistry(stored, [image(), image(layer="b")])

    assert ask(registry, digest_of(stored["both"]))["Digest"] == digest_of(image())
    with pytest.raises(RefusedError, match="lists 0 images"):
        ask(registry, digest_of(stored["alone"]))


@pytest.mark.parametrize(
    ("media_type", "sentence"), [(DOCKER_IMAGE, "is an attestation, not an image"), (OCI_IMAGE, "SageMaker refuses")]
)
def test_an_attestation_that_is_pinned_itself_is_refused(media_type: str, sentence: str) -> None:
    """Its layers hold statements, no file system."""
    attestation = text(media_type, config=config(), layers=STATEMENT)

    with pytest.raises(RefusedError, match=sentence):
        ask(FakeRegistry({}, [attestation]), digest_of(attestation))


def test_a_list_within_a_list_is_refused() -> None:
    """What a list names must be an image."""
    inner = listing(DOCKER_LIST, (image(), "linux", "amd64"))

    with pytest.raises(RefusedError, match="SageMaker refuses"):
        ask(FakeRegistry({"v1": listing(DOCKER_LIST, (inner, "linux", "amd64"))}, [inner, image()]), "v1")


@pytest.mark.parametrize("reference", ["v1", digest_of(image())])
def test_a_manifest_that_does_not_hash_to_its_digest_is_refused(reference: str) -> None:
    """The digest is checked over the very bytes, also when the registry itself claims it."""
    with pytest.raises(RefusedError, match="the manifest hashes to"):
        ask(FakeRegistry({"v1": image()}, lie=" "), reference)


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        (text(DOCKER_IMAGE), "no complete docker schema 2"),
        (json.dumps({"schemaVersion": 1, "config": {"a": 1}, "layers": [{}]}), "no complete docker schema 2"),
        (text(DOCKER_IMAGE, config="a", layers=LAYERS), "no complete docker schema 2"),
        (text(DOCKER_IMAGE, config=config(), layers=["a"]), "no complete docker schema 2"),
        (text(DOCKER_IMAGE, config={"digest": "sha256:a"}, layers=LAYERS), "configuration of type None, not"),
        (text(DOCKER_LIST, manifests={"a": 1}), "lists 0 images"),
        (text(DOCKER_LIST, manifests=[7, {"platform": "linux/amd64"}]), "lists 0 images"),
        (text(DOCKER_LIST, manifests=[{"platform": {"os": "linux", "architecture": "amd64"}}]), "without a digest"),
    ],
)
def test_an_incomplete_manifest_is_refused(manifest: str, sentence: str) -> None:
    """A manifest's shape is checked, not trusted."""
    with pytest.raises(RefusedError, match=sentence):
        ask(FakeRegistry({"v1": manifest}), "v1")
