"""Reads what a synthesis wrote: stacks in the order of their needs, and the archives their templates name."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from handoff.archive import zipped

# CloudFormation wants these said when a template makes IAM resources, with names of their own or without.
_NAMES_OF_IAM = frozenset(
    {"RoleName", "ManagedPolicyName", "PolicyName", "UserName", "GroupName", "InstanceProfileName"}
)
_NAMED_TYPES = frozenset({"AWS::IAM::Role", "AWS::IAM::ManagedPolicy", "AWS::IAM::User", "AWS::IAM::Group"})


@dataclass(frozen=True)
class Archive:
    """The zip of one folder that functions or builds are made of.

    Attributes:
        purpose: The construct that it belongs to.
        source_hash: The name that the synthesis gave it, a digest of the folder.
        content: The zip.
    """

    purpose: str
    source_hash: str
    content: bytes

    @property
    def sha256(self) -> str:
        """The zip's own digest, which names it from here on."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True)
class StackTemplate:
    """One stack: its name, the text of its template, and whether it is protected against deletion."""

    name: str
    text: str
    termination_protection: bool

    @property
    def content(self) -> Mapping[str, Any]:
        """The template."""
        content: Mapping[str, Any] = json.loads(self.text)
        return content

    @property
    def capability(self) -> str:
        """What CloudFormation must be told about the template's IAM resources."""
        resources = self.content["Resources"].values()
        named = (each for each in resources if each["Type"] in _NAMED_TYPES)
        return (
            "CAPABILITY_NAMED_IAM"
            if any(_NAMES_OF_IAM & set(each["Properties"]) for each in named)
            else "CAPABILITY_IAM"
        )


@dataclass(frozen=True)
class Assembly:
    """Everything that is handed over of one synthesis, stacks in the order of their deployment."""

    stacks: tuple[StackTemplate, ...]
    archives: tuple[Archive, ...]


def read(folder: Path) -> Assembly:
    """Read a synthesized app and let its templates name each archive by its own digest.

    Raises:
        ValueError: The app has an asset that is no folder.
    """
    artifacts = json.loads((folder / "manifest.json").read_text("utf-8"))["artifacts"]
    stacks = {name: each for name, each in artifacts.items() if each["type"] == "aws:cloudformation:stack"}
    needs = {name: [need for need in each["dependencies"] if need in stacks] for name, each in sorted(stacks.items())}
    archives = _archives(folder)
    ordered = [
        StackTemplate(
            name,
            _renamed((folder / stacks[name]["properties"]["templateFile"]).read_text("utf-8"), archives),
            termination_protection=stacks[name]["properties"].get("terminationProtection", False),
        )
        for name in TopologicalSorter(needs).static_order()
    ]
    return Assembly(tuple(ordered), tuple(archives))


def _archives(folder: Path) -> list[Archive]:
    found: dict[str, Archive] = {}
    for manifest in sorted(folder.glob("*.assets.json")):
        for source_hash, file in json.loads(manifest.read_text("utf-8"))["files"].items():
            path = folder / file["source"]["path"]
            if path.name.endswith(".template.json"):
                continue
            if file["source"]["packaging"] != "zip":
                raise ValueError(f"{file['displayName']}: only folders can be handed over, not {path.name}")
            found.setdefault(source_hash, Archive(file["displayName"], source_hash, zipped(path)))
    return sorted(found.values(), key=lambda each: each.purpose)


def _renamed(template: str, archives: list[Archive]) -> str:
    for archive in archives:
        template = template.replace(f"{archive.source_hash}.zip", f"{archive.sha256}.zip")
    return template
