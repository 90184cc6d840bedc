"""StartBuild that really builds, in place of ministack's instant success."""

import contextvars
import copy
import threading
from pathlib import Path
from typing import Any

from ministack.core.responses import error_response_json, json_response
from ministack.services import codebuild

from local_aws.emulator.build_job import BuildJob
from local_aws.emulator.image_registry import ImageRegistry


class BuildService:
    """The builds of the emulated account."""

    def __init__(self, registry: ImageRegistry, folder: Path) -> None:
        self._registry, self._folder = registry, folder
        self._jobs: dict[str, BuildJob] = {}
        self._tokens: dict[str, str] = {}
        self._lock = threading.Lock()

    def register(self) -> None:
        """Take StartBuild and StopBuild over from ministack."""
        codebuild._start_build, codebuild._stop_build = self._start, self._stop  # noqa: SLF001 -- no public way

    def stop(self) -> None:
        """End every running build."""
        for job in list(self._jobs.values()):
            job.stop()

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
                build = self._run(project)
                self._tokens[token or build["id"]] = build["id"]
        return json_response({"build": copy.deepcopy(build)})

    def _stop(self, request: dict[str, Any]) -> Any:  # noqa: ANN401 -- as above
        build = codebuild._builds.get(request.get("id", ""))  # noqa: SLF001 -- as above
        if not build:
            return error_response_json("ResourceNotFoundException", f"Build not found: {request.get('id')}", 400)
        self._jobs[build["id"]].stop()
        return json_response({"build": copy.deepcopy(build)})

    def _run(self, project: dict[str, Any]) -> dict[str, Any]:
        build: dict[str, Any] = codebuild._make_build_record(project, codebuild._build_id(project["name"]))  # noqa: SLF001 -- as above
        build.pop("endTime")
        build.update(buildStatus="IN_PROGRESS", currentPhase="SUBMITTED", phases=[], buildComplete=False)
        if group := project.get("logsConfig", {}).get("cloudWatchLogs", {}).get("groupName"):
            build["logs"]["groupName"] = group
        codebuild._builds[build["id"]] = build  # noqa: SLF001 -- as above
        job = self._jobs[build["id"]] = BuildJob(project, self._registry, self._folder)

        def run() -> None:
            job.run(build, codebuild._log_sink(build))  # noqa: SLF001 -- as above

        # ministack finds the account and the region of a call in its context.
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(run,), daemon=True).start()
        return build
