"""A decision definition: the reviewed wording of one question, by name and version."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from decision_client.toml_file import read_toml
from decision_client.values import Frozen, Name, Sha256, Text, Version, canonical_sha256

QuestionType = Literal["noul", "choice", "score"]
"""Yes or no, one of several, or a level of a scale; calibration has one temperature for each."""


class Option(Frozen):
    """One declared option; `description` is what the model reads, `id` what comes back."""

    id: Text
    description: Text = Field(repr=False)


class DefinitionReference(Frozen):
    """Which wording: `sha256` is that of everything the model reads, so an edit without a new version shows."""

    name: Name
    version: Version
    sha256: Sha256


class DecisionDefinition(Frozen):
    """Question and options, in the order they are asked. `abstain_option` is the id of "none of these"."""

    name: Name
    version: Version
    type: QuestionType = "choice"
    question: Text = Field(repr=False)
    options: Annotated[tuple[Option, ...], Field(min_length=2, max_length=16)]
    abstain_option: Text | None = None

    @model_validator(mode="after")
    def _consistent(self) -> "DecisionDefinition":
        ids = self.option_ids
        if len(set(ids)) != len(ids):
            raise ValueError("options: two have the same id")
        if self.abstain_option is not None and self.abstain_option not in ids:
            raise ValueError("abstain_option: is no id of an option")
        return self

    @property
    def option_ids(self) -> tuple[str, ...]:
        """The options' ids in declared order."""
        return tuple(option.id for option in self.options)

    @property
    def reference(self) -> DefinitionReference:
        """Name, version and digest of question, options, their order and the abstain option."""
        worded = self.model_dump(mode="json", include={"type", "question", "options", "abstain_option"})
        return DefinitionReference(name=self.name, version=self.version, sha256=canonical_sha256(worded))


def read_definition(file: Path) -> DecisionDefinition:
    """Read one definition.

    Raises:
        FileError: The file breaks a rule.
    """
    return read_toml(file, DecisionDefinition)
