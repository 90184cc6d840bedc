"""Writes the folder that is handed over."""

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from config.assets_bucket import PARAMETER, PREFIX
from config.settings import Environment
from handoff.assembly import Assembly
from handoff.deployer import deployer_template
from handoff.readme import readme

_HERE = Path(__file__).parent


def write(folder: Path, assembly: Assembly, *, environment: Environment, assets_bucket: str) -> None:
    """Replace the folder by what the assembly holds, with the script, the deployer's policies and a list of digests."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in files(assembly, environment=environment, assets_bucket=assets_bucket).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o755 if path.suffix == ".sh" else 0o644)


def files(assembly: Assembly, *, environment: Environment, assets_bucket: str) -> Mapping[str, bytes]:
    """Return every file of the folder by its path."""
    policies = deployer_template(assembly, environment=environment.name, assets_bucket=assets_bucket)
    found = {
        **{f"assets/{each.sha256}.zip": each.content for each in assembly.archives},
        **{f"templates/{each.name}.template.json": each.text.encode() for each in assembly.stacks},
        "iam/deployer.template.json": (json.dumps(policies, indent=1) + "\n").encode(),
        "stacks.tsv": _table(_stack_rows(assembly)),
        "target.tsv": _table(_target_rows(environment, assets_bucket)),
        "deploy.sh": (_HERE / "deploy.sh").read_bytes(),
        "README.md": readme(assembly, environment=environment, assets_bucket=assets_bucket).encode(),
    }
    digests = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(found.items())]
    return found | {"SHA256SUMS": "".join(digests).encode()}


def _stack_rows(assembly: Assembly) -> list[list[str]]:
    return [
        [
            stack.name,
            stack.capability,
            "enable-termination-protection" if stack.termination_protection else "no-enable-termination-protection",
            PARAMETER if PARAMETER in stack.content.get("Parameters", {}) else "none",
        ]
        for stack in assembly.stacks
    ]


def _target_rows(environment: Environment, assets_bucket: str) -> list[list[str]]:
    return [
        ["account", environment.account or ""],
        ["region", environment.region or ""],
        ["assets_bucket", assets_bucket],
        ["prefix", PREFIX],
    ]


def _table(rows: list[list[str]]) -> bytes:
    return "".join("\t".join(row) + "\n" for row in rows).encode()
