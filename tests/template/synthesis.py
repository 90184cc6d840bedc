"""Synthesized templates for tests, each environment of the repository once a session."""

import atexit
import functools
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from app import build
from config.loader import load
from config.settings import Settings
from tests.unit.config.environment_files import completed

ENVIRONMENTS = ("dev", "graviton", "local", "prod")
STACKS = ("artifact", "build", "chat", "decision", "monitoring")

Resource = Mapping[str, Any]
_FOLDER = tempfile.TemporaryDirectory(prefix="semif-synth-")
atexit.register(_FOLDER.cleanup)
(Path(_FOLDER.name) / "environments").mkdir()
# The repository's files, complete.
DIRECTORY = completed(Path(_FOLDER.name) / "environments")


def synthesize(environment: str, outdir: Path, directory: Path = DIRECTORY) -> Path:
    """Synthesize an environment with cdk-nag and return the folder of the assembly."""
    build(environment, directory=directory, outdir=str(outdir), validate_templates=False).synth()
    return outdir


def settings_of(environment: str) -> Settings:
    """Return the settings that an environment is synthesized from."""
    return load(environment, DIRECTORY)


@functools.cache
def assembly(environment: str) -> Path:
    """Return the folder of an environment's assembly."""
    return synthesize(environment, Path(_FOLDER.name) / environment)


def read(folder: Path, environment: str, stack: str) -> "Template":
    """Read one stack's template from an assembly."""
    return Template(json.loads((folder / f"semif-{environment}-{stack}.template.json").read_text("utf-8")))


@functools.cache
def template(environment: str, stack: str) -> "Template":
    """Return one stack's template."""
    return read(assembly(environment), environment, stack)


class Template:
    """A template with the questions tests ask."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.content = content
        self.resources: Mapping[str, Resource] = content["Resources"]

    def of_type(self, kind: str) -> dict[str, Resource]:
        """Return the resources of a type by logical id."""
        return {name: resource for name, resource in self.resources.items() if resource["Type"] == kind}

    def only(self, kind: str) -> tuple[str, Mapping[str, Any]]:
        """Return logical id and properties of the one resource of a type."""
        ((name, resource),) = self.of_type(kind).items()
        return name, resource["Properties"]

    def named(self, start: str, kind: str) -> tuple[str, Mapping[str, Any]]:
        """Return logical id and properties of the one resource of a type whose logical id starts so."""
        found = {name: each for name, each in self.of_type(kind).items() if name.startswith(start)}
        ((name, resource),) = found.items()
        return name, resource["Properties"]

    def statements(self, role: str) -> list[Mapping[str, Any]]:
        """Return every statement of the policies attached to a role, by the role's logical id."""
        policies = self.of_type("AWS::IAM::Policy").values()
        attached = [each["Properties"] for each in policies if {"Ref": role} in each["Properties"]["Roles"]]
        return [statement for policy in attached for statement in policy["PolicyDocument"]["Statement"]]


def listed(value: Any) -> list[Any]:
    """Return a list of what may stand alone."""
    return value if isinstance(value, list) else [value]


def flat(value: Any) -> str:
    """Write a value with its functions as text: arn:<AWS::Partition>:s3:::<Bucket.Arn>/*."""
    match value:
        case {"Fn::Join": [str(delimiter), list(parts)]}:
            return delimiter.join(map(flat, parts))
        case {"Fn::GetAtt": [resource, attribute]}:
            return f"<{resource}.{attribute}>"
        case {"Ref": name} | {"Fn::ImportValue": name} | {"Fn::FindInMap": [name, _, _]}:
            return f"<{name}>"
        case {"Fn::Sub": str(text)}:
            return text.replace("${", "<").replace("}", ">")
    return str(value)


def all_templates() -> Iterator[tuple[str, str, Template]]:
    """Return every stack of every environment."""
    return ((environment, stack, template(environment, stack)) for environment in ENVIRONMENTS for stack in STACKS)
