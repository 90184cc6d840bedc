"""CodeBuild's build specification, version 0.2, as far as this project's builds use it; anything else is refused."""

from dataclasses import dataclass
from typing import Any, Final

import yaml

PHASES: Final = ("install", "pre_build", "build", "post_build")
_TOP: Final = frozenset({"version", "env", "phases"})
_ENV: Final = frozenset({"variables", "shell"})
_PHASE: Final = frozenset({"commands", "finally", "on-failure", "runtime-versions"})


class BuildspecError(ValueError):
    """The specification is not valid, or uses something that is not carried out here."""


@dataclass(frozen=True)
class Phase:
    """The commands of one phase, those that run whatever becomes of them, and what a failure leads to."""

    name: str
    commands: tuple[str, ...]
    finally_commands: tuple[str, ...]
    on_failure: str | None
    runtimes: dict[str, str]


@dataclass(frozen=True)
class Buildspec:
    """Default variables and phases, in the order they run."""

    variables: dict[str, str]
    phases: tuple[Phase, ...]


def parse(text: str) -> Buildspec:
    """Return the specification.

    Raises:
        BuildspecError: says which key is wrong or not carried out here.
    """
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BuildspecError(f"the buildspec is not YAML: {error}") from error
    if not isinstance(document, dict):
        raise BuildspecError("the buildspec is not a mapping")
    _known(document, _TOP, "the buildspec")
    if str(document.get("version")) != "0.2":
        raise BuildspecError(f"version {document.get('version')} of the buildspec is not 0.2")
    environment = document.get("env", {})
    _known(environment, _ENV, "env")
    if environment.get("shell", "bash") != "bash":
        raise BuildspecError(f"env.shell {environment['shell']!r} is not bash")
    phases = document.get("phases", {})
    _known(phases, frozenset(PHASES), "phases")
    variables = {name: str(value) for name, value in environment.get("variables", {}).items()}
    return Buildspec(variables, tuple(_phase(name, phases[name]) for name in PHASES if name in phases))


def _phase(name: str, phase: Any) -> Phase:  # noqa: ANN401 -- YAML may hold anything here
    _known(phase, _PHASE, f"phases.{name}")
    on_failure = phase.get("on-failure")
    if on_failure not in {None, "ABORT", "CONTINUE"}:
        raise BuildspecError(f"phases.{name}.on-failure {on_failure!r} is neither ABORT nor CONTINUE")
    return Phase(
        name=name,
        commands=tuple(map(str, phase.get("commands", []))),
        finally_commands=tuple(map(str, phase.get("finally", []))),
        on_failure=on_failure,
        runtimes={key: str(value) for key, value in phase.get("runtime-versions", {}).items()},
    )


def _known(mapping: Any, known: frozenset[str], where: str) -> None:  # noqa: ANN401 -- as above
    if not isinstance(mapping, dict):
        raise BuildspecError(f"{where} is not a mapping")
    if unknown := sorted(set(mapping) - known):
        raise BuildspecError(f"{where} has {', '.join(unknown)}, which the local executor does not carry out")
