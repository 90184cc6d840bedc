"""StartBuild that really builds, in place of ministack's instant success."""

import contextvars
import copy
import logging
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Final

from ministack.core.responses import error_response_json, json_response
from ministack.services import codebuild

from local_aws.emulator import build_environment, image_build, service_role
from local_aws.emulator.build import BuildRecord, run_phases
from local_aws.emulator.build_shell import BuildShell
from local_aws.emulator.buildspec import Buildspec, parse
from local_aws.emulator.image_registry import ImageRegistry

_LOGGER: Final = logging.getLogger(__name__)


class BuildService:
    """The builds of the emulated account."""

    def __init__(self, registry: ImageRegistry, folder: Path) -> None:
        self._registry, self._folder = registry, folder
        self._shells: dict[str, BuildShell] = {}
        self._tokens: dict[str, str] = {}
        self._lock = threading.Lock()

    def register(self) -> None:
        """Take StartBuild and StopBuild over from ministack."""
        codebuild._start_build, codebuild._stop_build = self._start, self._stop  # noqa: SLF001 -- no public way

    def stop(self) -> None:
        """End every running build."""
        for shell in list(self._shells.values()):
            shell.stop()

    def _start(self, request: dict[str, Any]) -> Any:  # noqa: ANN401 -- ministack's own answer tuple
        project = copy.deepcopy(codebuild._projects.get(request.get("projectName", "")))  # noqa: SLF001 -- as above
        if not project:
            message = f"Project not found: {request.get('projectName')}"
            return error_response_json("ResourceNotFoundException", message, 400)
        overrides = {entry["name"]: entry for entry in request.get("environmentVariablesOverride", [])}
        declared = {entry["name"]: entry for entry in project["environment"].get("environmentVariables") or []}
        project["environment"]["environmentVariables"] = list((declared | overrides).values())
        with self._lock:
            token = request.get("idempotencyToken")
            build = codebuild._builds.get(self._tokens.get(token, "")) if token else None  # noqa: SLF001 -- as above
            if not build:
                build = self._record(project)
                self._tokens[token or build["id"]] = build["id"]
                # ministack finds the account and the region of a call in its context.
                context = contextvars.copy_context()
                threading.Thread(target=context.run, args=(self._run, build, project), daemon=True).start()
        return json_response({"build": copy.deepcopy(build)})

    def _stop(self, request: dict[str, Any]) -> Any:  # noqa: ANN401 -- as above
        build = codebuild._builds.get(request.get("id", ""))  # noqa: SLF001 -- as above
        if not build:
            return error_response_json("ResourceNotFoundException", f"Build not found: {request.get('id')}", 400)
        if shell := self._shells.get(build["id"]):
            shell.stop()
        return json_response({"build": copy.deepcopy(build)})

    def _record(self, project: dict[str, Any]) -> dict[str, Any]:
        build: dict[str, Any] = codebuild._make_build_record(project, codebuild._build_id(project["name"]))  # noqa: SLF001 -- as above
        build.pop("endTime")
        build.update(buildStatus="IN_PROGRESS", currentPhase="SUBMITTED", phases=[], buildComplete=False)
        group = project.get("logsConfig", {}).get("cloudWatchLogs", {}).get("groupName")
        if group:
            build["logs"]["groupName"] = group
        codebuild._builds[build["id"]] = build  # noqa: SLF001 -- as above
        return build

    def _run(self, build: dict[str, Any], project: dict[str, Any]) -> None:
        record = BuildRecord(build, codebuild._log_sink(build))  # noqa: SLF001 -- as above
        since = time.time()
        try:
            with tempfile.TemporaryDirectory(prefix="build-", dir=self._folder) as folder:
                status = self._run_in(Path(folder), project, record)
        # Any failure of the executor itself is the build's failure, not a build that never ends.
        except Exception as error:
            _LOGGER.exception("build %s", build["id"])
            record.phase(build["currentPhase"], "FAILED", since, str(error))
            status = "FAILED"
        record.finish(status)

    def _run_in(self, folder: Path, project: dict[str, Any], record: BuildRecord) -> str:
        since, build = time.time(), record.build
        session = service_role.assume(project["serviceRole"], "codebuild.amazonaws.com")
        record.phase("PROVISIONING", "SUCCEEDED", since)
        source = folder / "source"
        source.mkdir()
        spec = parse(build_environment.fetch_source(session, project["source"], source))
        record.phase("DOWNLOAD_SOURCE", "SUCCEEDED", since)
        variables = spec.variables | build_environment.variables(project)
        if project["environment"].get("privilegedMode"):
            return image_build.run(session, self._registry, variables, record)
        return self._run_phases(
            folder, spec, record, build_environment.platform_variables(session, build, folder) | variables, project
        )

    def _run_phases(
        self, folder: Path, spec: Buildspec, record: BuildRecord, environment: dict[str, str], project: dict[str, Any]
    ) -> str:
        for phase in spec.phases:
            if phase.runtimes:
                record.emit(build_environment.runtime_note(phase.runtimes))
        shell = BuildShell(source=folder / "source", state=folder, environment=environment, emit=record.emit)
        self._shells[record.build["id"]] = shell
        timeout = threading.Timer(project["timeoutInMinutes"] * 60, shell.stop)
        timeout.daemon = True
        timeout.start()
        try:
            status = run_phases(spec, shell, record)
        finally:
            del self._shells[record.build["id"]]
            timed_out = timeout.finished.is_set()
            timeout.cancel()
        if shell.stopped:
            return "TIMED_OUT" if timed_out else "STOPPED"
        return status
