"""One build from its source to its outcome."""

import logging
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from local_aws.emulator import build_environment, image_build, service_role
from local_aws.emulator.build import BuildRecord, run_phases
from local_aws.emulator.build_shell import BuildShell
from local_aws.emulator.buildspec import Buildspec, parse
from local_aws.emulator.image_registry import ImageRegistry

_LOGGER: Final = logging.getLogger(__name__)


class BuildJob:
    """Runs a project's build with its service role's credentials; an image build is stood in for."""

    def __init__(self, project: dict[str, Any], registry: ImageRegistry, folder: Path) -> None:
        self._project, self._registry, self._folder = project, registry, folder
        self._shell: BuildShell | None = None
        self._stopped = threading.Event()
        self._timed_out = threading.Event()

    def stop(self) -> None:
        """End the build; its status will be STOPPED."""
        self._stopped.set()
        if self._shell:
            self._shell.stop()

    def run(self, build: dict[str, Any], emit: Callable[[str], None]) -> None:
        """Run to the end, filling in ministack's record of the build; `emit` gets each line of the log."""
        record, since = BuildRecord(build, emit), time.time()
        try:
            with tempfile.TemporaryDirectory(prefix="build-", dir=self._folder) as folder:
                status = self._run_in(Path(folder), record)
        # Any failure of the executor itself is the build's failure, not a build that never ends.
        except Exception as error:
            _LOGGER.exception("build %s", build["id"])
            record.phase(build["currentPhase"], "FAILED", since, str(error))
            status = "FAILED"
        record.finish(status)

    def _run_in(self, folder: Path, record: BuildRecord) -> str:
        since, project = time.time(), self._project
        session = service_role.assume(project["serviceRole"], "codebuild.amazonaws.com")
        build_environment.open_log(session, record.build)
        record.phase("PROVISIONING", "SUCCEEDED", since)
        (folder / "source").mkdir()
        spec = parse(build_environment.fetch_source(session, project["source"], folder / "source"))
        record.phase("DOWNLOAD_SOURCE", "SUCCEEDED", since)
        variables = spec.variables | build_environment.variables(project)
        if project["environment"].get("privilegedMode"):
            return image_build.run(session, self._registry, variables, record)
        platform = build_environment.platform_variables(session, record.build, folder)
        return self._run_phases(folder, spec, record, platform | variables)

    def _run_phases(self, folder: Path, spec: Buildspec, record: BuildRecord, environment: dict[str, str]) -> str:
        for phase in spec.phases:
            if phase.runtimes:
                record.emit(build_environment.runtime_note(phase.runtimes))
        self._shell = BuildShell(source=folder / "source", state=folder, environment=environment, emit=record.emit)
        timeout = threading.Timer(self._project["timeoutInMinutes"] * 60, self._time_out)
        timeout.daemon = True
        timeout.start()
        try:
            status = run_phases(spec, self._shell, record)
        finally:
            timeout.cancel()
        if self._timed_out.is_set():
            return "TIMED_OUT"
        return "STOPPED" if self._stopped.is_set() else status

    def _time_out(self) -> None:
        self._timed_out.set()
        self.stop()
