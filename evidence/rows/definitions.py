"""The decision definitions that rows name, found by name and version."""

from dataclasses import dataclass
from pathlib import Path

from decision_client.definition import DecisionDefinition, read_definition


@dataclass(frozen=True, slots=True)
class Definitions:
    """The definitions of one folder."""

    folder: Path
    by_name: dict[str, dict[str, DecisionDefinition]]

    @classmethod
    def of(cls, folder: Path) -> "Definitions":
        """Read every `*.toml` of a folder; none where there is no such folder.

        Raises:
            FileError: A definition breaks a rule.
            ValueError: Two files define the same version of the same name.
        """
        by_name: dict[str, dict[str, DecisionDefinition]] = {}
        for file in sorted(folder.glob("*.toml")):
            definition = read_definition(file)
            versions = by_name.setdefault(definition.name, {})
            if definition.version in versions:
                raise ValueError(f"{file}: {definition.name} {definition.version} is defined in another file too")
            versions[definition.version] = definition
        return cls(folder, by_name)

    def find(self, name: str, version: str | None) -> DecisionDefinition:
        """Return a definition; without a version there has to be one alone.

        Raises:
            ValueError: There is none, or several.
        """
        versions = self.by_name.get(name, {})
        if version is not None and version in versions:
            return versions[version]
        if version is None and len(versions) == 1:
            return next(iter(versions.values()))
        known = ", ".join(sorted(versions)) or "none"
        raise ValueError(f"definition: {self.folder} has no such version of it; versions there: {known}")
