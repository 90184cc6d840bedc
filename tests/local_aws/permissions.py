"""The permissions that the synthesized templates give to roles, and templates with one of them taken away."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STACKS = ("artifact", "build", "chat", "decision")

Template = dict[str, Any]


@dataclass(frozen=True, order=True)
class Permission:
    """One action that one statement of a role's policy allows in one stack."""

    stack: str
    role: str
    action: str
    policy: str
    statement: int

    def __str__(self) -> str:
        """Name it as a report of tests does."""
        return f"{self.stack}: {self.action} of {self.role}, statement {self.statement}"

    @property
    def nonce(self) -> str:
        """Eight hexadecimal digits that no other permission has."""
        return hashlib.sha256(f"{self!r}".encode()).hexdigest()[:8]


def permissions(assembly: Path, environment: str) -> Iterator[Permission]:
    """Yield every action that the policies of roles in an app's templates allow, once per statement."""
    for stack in STACKS:
        template = json.loads((assembly / f"semif-{environment}-{stack}.template.json").read_text("utf-8"))
        for policy, resource in template["Resources"].items():
            if resource["Type"] != "AWS::IAM::Policy":
                continue
            role = policy.partition("DefaultPolicy")[0]
            for number, statement in enumerate(resource["Properties"]["PolicyDocument"]["Statement"]):
                yield from (Permission(stack, role, action, policy, number) for action in _listed(statement["Action"]))


def without(template: Mapping[str, Any], permission: Permission) -> Template:
    """Return the template with the action taken from the statement that allows it."""
    edited: Template = json.loads(json.dumps(template))
    statements = edited["Resources"][permission.policy]["Properties"]["PolicyDocument"]["Statement"]
    statement = statements[permission.statement]
    actions = [action for action in _listed(statement["Action"]) if action != permission.action]
    # A statement needs an action; this one is none that anything here does.
    statement["Action"] = actions or ["iam:GetAccountSummary"]
    return edited


def acting_again(template: Mapping[str, Any], permission: Permission) -> Template:
    """Return the template with whatever uses the role made new, so that an update does its work once more.

    An endpoint gets another configuration, a custom resource another logical id. What a build publishes gets another
    key or tag, and what may only be looked for with s3:ListBucket another key: it is not there yet.
    """
    resources, nonce = template["Resources"], permission.nonce
    custom = [name for name, resource in resources.items() if resource["Type"].startswith("Custom::")]
    if permission.role.startswith("InferenceEndpoint"):
        return _with_other_configuration(template, 60 + int(nonce, 16) % 3000)
    # The roles of builds and of whoever starts them begin alike; verifications and checks begin with their construct.
    construct = re.split(r"Build|Run|Provider", permission.role)[0]
    (owner,) = [name for name in custom if name.startswith(construct)]
    edited = _replaced(template, owner, f"{owner[:-8]}{nonce.upper()}")
    content = resources[owner]["Properties"].get("ContentName", "")
    if permission.action == "s3:ListBucket" or content.startswith("models/"):
        return _with_other_model(edited, nonce)
    return _replaced(edited, content, f"{content[:-8]}{nonce}") if content else edited


def _with_other_configuration(template: Mapping[str, Any], seconds: int) -> Template:
    pattern = r'("ContainerStartupHealthCheckTimeoutInSeconds": )\d+'
    edited, count = re.subn(pattern, rf"\g<1>{seconds}", json.dumps(template))
    assert count == 1
    parsed: Template = json.loads(edited)
    return parsed


def _with_other_model(template: Mapping[str, Any], name: str) -> Template:
    """Return the template with another name of the model in its manifest, whose digest is in the archive's key."""
    (before,) = set(re.findall(r"models/[0-9a-f]{64}/([0-9a-f]{64})/", json.dumps(template)))
    manifests = [
        variable["Value"]
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::CodeBuild::Project"
        for variable in resource["Properties"]["Environment"]["EnvironmentVariables"]
        if variable["Name"] == "MANIFEST"
    ]
    if not manifests:
        return _replaced(template, before, hashlib.sha256(name.encode()).hexdigest())
    (text,) = manifests
    other = json.dumps(json.loads(text) | {"name": name}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    edited = _replaced(template, before, hashlib.sha256(other.encode()).hexdigest())
    return _replaced(edited, json.dumps(text)[1:-1], json.dumps(other)[1:-1])


def _replaced(template: Mapping[str, Any], before: str, after: str) -> Template:
    text = json.dumps(template)
    assert before in text, before
    edited: Template = json.loads(text.replace(before, after))
    return edited


def _listed(value: str | Sequence[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
