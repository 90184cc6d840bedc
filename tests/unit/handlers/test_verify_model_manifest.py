"""What the manifest beside the GGUF may be: the pinned part of the pin, in one canonical form."""

import pytest

from tests.unit.handlers.archive_refusal import refusal
from tests.unit.handlers.archives import (
    GGUF,
    canonical,
    manifest_of,
    manifest_with,
    model_archive,
    pinned_of,
    sha256_of,
)


def test_another_manifest_is_refused_with_both_digests() -> None:
    """The pin's part of the manifest is pinned byte by byte."""
    other = pinned_of(GGUF, name="another")

    sentence = refusal(model_archive(manifest=manifest_with(other)))

    assert f"of a pin with sha256 {sha256_of(other)}, expected is {sha256_of(pinned_of(GGUF))}" in sentence


def test_what_the_build_found_in_the_gguf_is_not_pinned() -> None:
    """It is known to whoever has read the GGUF, which a deployment's settings have not."""
    assert not refusal(model_archive(manifest=manifest_with(pinned_of(GGUF), gguf={"architecture": "another"})))


@pytest.mark.parametrize(
    ("pinned", "sentence"),
    [
        (pinned_of(GGUF, sha256="0" * 64), "whose sha256 is"),
        (pinned_of(GGUF, bytes=1), "whose bytes is 1"),
        (pinned_of(GGUF, bytes=float(len(GGUF))), "whose bytes is"),
        (pinned_of(GGUF, file="other.gguf"), "whose file is"),
        (pinned_of(GGUF, parts=[{"file": "b.gguf", "bytes": 1, "sha256": "0" * 64}]), "whose parts is"),
        (pinned_of(GGUF, parts=[]), "whose parts is"),
        ([], "whose file is None"),
    ],
)
def test_a_manifest_that_contradicts_the_pin_is_refused(pinned: object, sentence: str) -> None:
    """A pin's manifest with the pinned digest must also say what the other properties say."""
    assert sentence in refusal(model_archive(manifest=manifest_with(pinned)), {"ManifestSha256": sha256_of(pinned)})


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        (canonical(pinned_of(GGUF)), "is not the canonical object"),
        (manifest_with(pinned_of(GGUF), builder={}), "is not the canonical object"),
        (manifest_of(GGUF) + b" ", "is not the canonical object"),
        (manifest_of(GGUF).replace(b'{"gguf":', b'{"gguf":{},"gguf":'), "is not the canonical object"),
        (manifest_with(pinned_of(GGUF), manifest_sha256="0" * 64), "of a pin with sha256"),
        (b"[]", "is not the canonical object"),
        (b"{", "is not JSON"),
        (b"\xff", "is not JSON"),
        (b'{"gguf":"\\ud800","manifest":0,"manifest_sha256":0,"schema_version":0}', "is not JSON"),
        (b"[" * 60_000, "is not JSON"),
    ],
)
def test_a_manifest_of_another_form_is_refused(manifest: bytes, sentence: str) -> None:
    """Whoever reads it finds one and the same thing in it."""
    assert sentence in refusal(model_archive(manifest=manifest))
