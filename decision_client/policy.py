"""A decision policy: what evidence allows an application to do with answers of one definition on one runtime."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from decision_client.definition import DefinitionReference
from decision_client.identity import Identity, Runtime
from decision_client.toml_file import read_toml
from decision_client.values import Frozen, Sha256, Share, Text, Version, canonical_sha256

Positive = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
OpenShare = Annotated[float, Field(strict=True, gt=0, lt=1, allow_inf_nan=False)]


class Binding(Frozen):
    """The bytes that the evidence was measured on: model, template, prompt, image and library."""

    gguf_sha256: Sha256
    template_sha256: Sha256
    prompt_version: Text
    image_digest: Text
    library_sha256: Sha256

    @classmethod
    def of(cls, identity: Identity) -> "Binding":
        """Return what an answer's identity record says of them."""
        return cls(
            gguf_sha256=identity.gguf.content_sha256,
            template_sha256=identity.template_sha256,
            prompt_version=identity.prompt_version,
            image_digest=identity.image_digest,
            library_sha256=identity.llama_cpp.library_sha256,
        )


class Thresholds(Frozen):
    """What an answer needs; probabilities and margins are calibrated ones.

    `act` is the least probability to act on; without it the evidence allows acting on none. Below `review` an answer is
    not worth a person's reading it as a suggestion; without it every answer is. The share of wrong answers is at most
    `target_risk` among those acted upon and `review_risk` among all that are not left, both at once with `confidence`.
    """

    target_risk: OpenShare
    review_risk: OpenShare | None = None
    confidence: OpenShare
    act: Share | None = None
    review: Share | None = None
    min_mass: Share
    min_margin: Share

    @model_validator(mode="after")
    def _ordered(self) -> "Thresholds":
        if self.act is not None and self.review is not None and self.review > self.act:
            raise ValueError("review: is greater than act")
        return self


class DecisionPolicy(Frozen):
    """The whole file. `evidence` holds figures and sample sizes for people; nothing is decided by it."""

    version: Version
    definition: DefinitionReference
    binding: Binding
    runtimes: Annotated[tuple[Runtime, ...], Field(min_length=1)]
    temperature: Positive
    thresholds: Thresholds
    evidence: dict[str, Any]

    @property
    def sha256(self) -> str:
        """The digest of everything the file says."""
        return canonical_sha256(self.model_dump(mode="json"))

    def mismatch(self, definition: DefinitionReference, identity: Identity) -> str:
        """Name the first thing that the evidence does not cover; empty if it covers the answer."""
        for name in DefinitionReference.model_fields:
            if getattr(self.definition, name) != getattr(definition, name):
                return f"definition.{name}"
        found = Binding.of(identity)
        for name in Binding.model_fields:
            if getattr(self.binding, name) != getattr(found, name):
                return f"binding.{name}"
        return "" if identity.runtime in self.runtimes else "runtime"


def applicable(
    policies: Iterable[DecisionPolicy], definition: DefinitionReference, identity: Identity
) -> DecisionPolicy | None:
    """Return the first policy that covers an answer, or else the first of the definition's name, for its mismatch."""
    named = [each for each in policies if each.definition.name == definition.name]
    covering = (each for each in named if not each.mismatch(definition, identity))
    return next(covering, named[0] if named else None)


def read_policy(file: Path) -> DecisionPolicy:
    """Read one policy.

    Raises:
        FileError: The file breaks a rule.
    """
    return read_toml(file, DecisionPolicy)
