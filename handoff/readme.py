"""Pure: the README of a folder, from a text with places for what differs."""

from pathlib import Path
from string import Template

from config.assets_bucket import PREFIX
from config.settings import Environment
from handoff.assembly import Assembly

_TEMPLATE = Path(__file__).with_name("README.template.md")


def readme(assembly: Assembly, *, environment: Environment, assets_bucket: str) -> str:
    """Return the text, with every stack, parameter and archive listed."""
    return Template(_TEMPLATE.read_text("utf-8")).substitute(
        environment=environment.name,
        account=f"account {environment.account}" if environment.account else "any account",
        region=f"region {environment.region}" if environment.region else "any region",
        assets_bucket=assets_bucket,
        prefix=PREFIX,
        last=assembly.stacks[-1].name,
        stacks="\n".join(_stacks(assembly)),
        parameters="\n".join(_parameters(assembly)),
        archives="\n".join(f"| `{each.sha256}` | {len(each.content)} | {each.purpose} |" for each in assembly.archives),
        removal="\n".join(_removal(assembly)),
    )


def _stacks(assembly: Assembly) -> list[str]:
    rows = []
    for stack in assembly.stacks:
        resources = stack.content["Resources"]
        retained = sorted({each["Type"] for each in resources.values() if each.get("DeletionPolicy") == "Retain"})
        protected = "yes" if stack.termination_protection else "no"
        description = stack.content["Description"]
        rows.append(f"| `{stack.name}` | {description} | {len(resources)} | {protected} | {', '.join(retained)} |")
    return rows


def _parameters(assembly: Assembly) -> list[str]:
    owners: dict[str, list[str]] = {}
    said = {}
    for stack in assembly.stacks:
        for name, parameter in stack.content.get("Parameters", {}).items():
            owners.setdefault(name, []).append(f"`{stack.name}`")
            said[name] = f"| `{name}` | {parameter['Description']} | `{parameter['Default']}`"
    return [f"{said[name]} | {', '.join(stacks)} |" for name, stacks in sorted(owners.items())]


def _removal(assembly: Assembly) -> list[str]:
    lines = []
    for stack in reversed(assembly.stacks):
        if stack.termination_protection:
            command = f"aws cloudformation update-termination-protection --stack-name {stack.name}"
            lines.append(f"{command} --no-enable-termination-protection")
        lines.append(f"aws cloudformation delete-stack --stack-name {stack.name}")
        lines.append(f"aws cloudformation wait stack-delete-complete --stack-name {stack.name}")
    return lines
