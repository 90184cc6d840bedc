"""The environment `local`, deployed by the genuine CDK command line."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from local_aws.cdk_cli import CdkCli, Outcome
from local_aws.checkout import ROOT, STATE
from local_aws.session import Address
from local_aws.steps import require

CONTEXT: Final = ("--context", "environment=local")
# The library's own validator takes seconds; the first synthesis runs it, a repetition of the same templates need not.
UNVALIDATED: Final = {"CDK_VALIDATION": "false"}
# Of a deployment's hundreds of events these are worth a line: our custom resources, the endpoints, and every failure.
_EVENT: Final = re.compile(r"\| (?P<status>\w+_(COMPLETE|FAILED)) +\| (?P<type>(Custom|AWS)::[\w:]+) +\| (?P<name>.*)$")
_FAILURE: Final = re.compile(r"_FAILED +\| [\w:]+ +\| [^|\n]*? \(\w+\) (Error: )?(?P<said>.+)$", re.MULTILINE)
_SHOWN_TYPES: Final = (
    "Custom::BuildRun",
    "Custom::PinnedImage",
    "Custom::ImageScanGate",
    "Custom::VerifiedModel",
    "AWS::SageMaker::Endpoint",
    "Custom::CheckedEndpoint",
)
_SHOWN: Final = ("✅", "❌", "There were", "Number of stacks", "no changes")


@dataclass(frozen=True)
class Deployment:
    """Runs the commands, shows them, and keeps everything they print in one log."""

    address: Address

    @property
    def assembly(self) -> str:
        """Where the synthesized app lies, relative to the checkout."""
        return f"cdk.out/local-aws/{self.address.emulator.name}"

    def synthesize(self) -> None:
        """Synthesize once; the commands that follow use this assembly."""
        self._must("synth", "--quiet", *CONTEXT, "--output", self.assembly)

    def bootstrap(self) -> None:
        """Bootstrap account and region."""
        self._must("bootstrap", "--app", self.assembly)

    def deploy(
        self,
        *stacks: str,
        context: Sequence[str] = (),
        assembly: Path | None = None,
        import_existing: bool = False,
    ) -> Outcome:
        """Deploy stacks from the assembly or another one, or from a new synthesis with more context.

        Args:
            stacks: Which stacks, and no other that they depend on; all, if none is named.
            context: Options of the command line for a new synthesis.
            assembly: Where another app lies, synthesized.
            import_existing: Whether retained resources with a name are taken up again, which needs a change set.
        """
        source = (*CONTEXT, *context) if context else ("--app", str(assembly or self.assembly))
        options = ("--require-approval", "never", "--concurrency", "4", "--progress", "events")
        method = ("--import-existing-resources",) if import_existing else ("--method", "direct")
        chosen = (*stacks, "--exclusively") if stacks else ("--all",)
        return self._run("deploy", *chosen, *source, *options, *method)

    def diff(self) -> Outcome:
        """Compare a new synthesis with what is deployed; the code is 1 if anything differs."""
        return self._run("diff", "--fail", *CONTEXT)

    def destroy(self, assembly: Path | None = None) -> None:
        """Destroy every stack of the assembly or another one."""
        self._must("destroy", "--all", "--force", "--app", str(assembly or self.assembly), "--concurrency", "4")

    def _must(self, *arguments: str) -> None:
        outcome = self._run(*arguments)
        require(that=outcome.code == 0, otherwise=f"cdk {arguments[0]} ended with {outcome.code}: {reason(outcome)}")

    def _run(self, *arguments: str) -> Outcome:
        settings = {} if arguments[0] == "synth" or "--app" in arguments else UNVALIDATED
        command = shlex.join([*(f"{name}={value}" for name, value in settings.items()), "cdk", *arguments])
        print(f"  $ {command}", flush=True)
        with (STATE / self.address.emulator.name / "cdk.log").open("a", encoding="utf-8") as log:
            log.write(f"$ {command}\n")

            def show(line: str) -> None:
                log.write(f"{line}\n")
                if text := shown(line):
                    print(f"    {text}", flush=True)

            return CdkCli(self.address.environment() | settings, show).run(*arguments)


def shown(line: str) -> str:
    """Return what of a line is shown, or nothing."""
    if event := _EVENT.search(line):
        stack = line.split("|", 1)[0].strip()
        if event["type"] in _SHOWN_TYPES or event["status"].endswith("_FAILED"):
            return f"{stack}: {event['status']} {event['type']} {event['name'].split(' (')[0]}"
        return ""
    return line if any(mark in line for mark in _SHOWN) else ""


def reason(outcome: Outcome) -> str:
    """Return the first line that says why a command failed, without where it is logged."""
    for failed in _FAILURE.finditer(outcome.output):
        return failed["said"].split(" [log", 1)[0]
    lines = [line for line in outcome.output.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it printed nothing"


def wrong_checksum(folder: Path) -> tuple[Path, str, str]:
    """Copy the environments into a folder, `local` with a wrong GGUF checksum; return folder, right and wrong one."""
    folder.mkdir()
    for file in (ROOT / "config" / "environments").glob("*.toml"):
        text = file.read_text("utf-8")
        if file.stem == "local":
            found = re.search(r'^sha256 = "([0-9a-f]{64})"$', text, re.MULTILINE)
            assert found
            right = found[1]
            wrong = right[::-1]
            text = text.replace(right, wrong)
        (folder / file.name).write_text(text, "utf-8")
    return folder, right, wrong
