"""Environments with what the repository's own leave out, each synthesized once a session."""

import atexit
import functools
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.template.synthesis import Template, read, synthesize
from tests.unit.config.environment_files import changed
from tests.unit.config.test_access import GROUP, ONE, OTHER, network
from tests.unit.config.test_fleet import GUARDRAILS, LIMITS, SCALING, instances, table

PROTECTION = "[protection]"
STRATEGIES: Mapping[str, Mapping[str, str]] = {
    "canary": {},
    "linear": {"strategy": '"linear"'},
    "rolling": {"strategy": '"rolling"'},
}
SUBNETS, GROUPS = [ONE, OTHER], [GROUP]
_FOLDER = tempfile.TemporaryDirectory(prefix="semif-variants-")
atexit.register(_FOLDER.cleanup)


@functools.cache
def everything(strategy: str) -> Path:
    """Return the assembly of dev with a VPC, bearer tokens, and decisions that scale and are replaced so."""
    keys = {**GUARDRAILS, **STRATEGIES[strategy]}
    if strategy == "rolling":
        del keys["termination_wait_seconds"]
    scaling = {**SCALING, "min_instance_count": "2"}
    tables = table("guardrails", keys)[1].replace(LIMITS[0], table("scaling", scaling)[1])
    attached = network(f'["{ONE}", "{OTHER}"]', f'["{GROUP}"]')[1]
    folder = Path(_FOLDER.name) / strategy
    folder.mkdir()
    changed(
        folder,
        "dev",
        instances(2),
        (LIMITS[0], tables),
        (PROTECTION, attached.replace(PROTECTION, f"[callers]\nbearer_tokens = true\n\n{PROTECTION}")),
    )
    return synthesize("dev", folder / "assembly", folder)


def variant(strategy: str, stack: str) -> Template:
    """Return a stack's template of that environment."""
    return read(everything(strategy), "dev", stack)
