"""What the image's Dockerfile may do, read from its text before anything is built."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

BASE = "${BASE_IMAGE}"
_COMPILERS = re.compile(r"\b(gcc|g\+\+|cc|c\+\+|clang|make|cmake|ninja|cargo|dnf|yum|microdnf|apt|apt-get|apk)\b")
_WHEELS_ONLY = ("--require-hashes", "--only-binary")


@dataclass(frozen=True)
class Instruction:
    """One instruction of a Dockerfile: its name in capitals, its leading flags, and the rest on one line."""

    name: str
    flags: tuple[str, ...]
    arguments: str


def instructions(text: str) -> Iterator[Instruction]:
    """Yield a Dockerfile's instructions, continued lines joined and comments dropped."""
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        name, _, rest = line.strip().partition(" ")
        flags = []
        while match := re.match(r"\s*(--[a-z]\S*)(?:\s+|$)", rest):
            flags.append(match[1])
            rest = rest[match.end() :]
        if name:
            yield Instruction(name.upper(), tuple(flags), " ".join(rest.split()))


def broken_rules(text: str) -> list[str]:
    """Return one sentence for each instruction that takes something from outside the folder, or compiles."""
    sentences = []
    stages: set[str] = set()
    for instruction in instructions(text):
        shown = " ".join((instruction.name, *instruction.flags, instruction.arguments))
        sentences += [f"`{shown}` {rule}." for rule in _rules_broken_by(instruction, stages)]
        if instruction.name == "FROM" and (stage := re.search(r"\bAS\s+(\S+)$", instruction.arguments, re.IGNORECASE)):
            stages.add(stage[1])
    return sentences


def _rules_broken_by(instruction: Instruction, stages: set[str]) -> Iterator[str]:
    if "<<" in instruction.arguments:
        yield "holds a here-document, which this check does not read"
    if instruction.name == "FROM" and instruction.arguments.split()[0] not in {BASE, "$BASE_IMAGE", *stages}:
        yield "starts from another image than the pinned base"
    elif instruction.name == "ADD":
        yield "may fetch or unpack: only COPY takes files, and only those of the folder"
    elif instruction.name == "COPY":
        yield from _rules_broken_by_copy(instruction, stages)
    elif instruction.name == "RUN":
        yield from _rules_broken_by_run(instruction)


def _rules_broken_by_copy(instruction: Instruction, stages: set[str]) -> Iterator[str]:
    if not {flag.removeprefix("--from=") for flag in instruction.flags if flag.startswith("--from=")} <= stages:
        yield "takes files from an image that is no stage of this build"
    if _leaves_the_folder(instruction.arguments):
        yield "takes files from outside the folder"


def _rules_broken_by_run(instruction: Instruction) -> Iterator[str]:
    if any("from=" in flag for flag in instruction.flags):
        yield "mounts files of another image"
    if found := _COMPILERS.search(instruction.arguments):
        yield f"calls {found[1]}: the image installs wheels and compiles nothing"
    if re.search(r"\b(curl|wget)\b|https?://|git\+", instruction.arguments):
        yield "downloads something that is no hashed wheel"
    for command in re.split(r"&&|\|\||[;|]", instruction.arguments):
        if re.search(r"\bpip3?\s+(install|download|wheel)\b", command):
            yield from (f"installs without {option}" for option in _WHEELS_ONLY if option not in command)


def _leaves_the_folder(arguments: str) -> bool:
    sources = [word.strip('",[]') for word in shlex.split(arguments)[:-1]]
    return any(".." in source.split("/") or "://" in source for source in sources)
