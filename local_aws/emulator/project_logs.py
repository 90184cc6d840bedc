"""The log group that a CodeBuild project names, which ministack drops from the template."""

from collections.abc import Callable
from typing import Any

from ministack.services import codebuild
from ministack.services.cloudformation import provisioners

_TYPE = "AWS::CodeBuild::Project"


def register() -> None:
    """Keep `LogsConfig.CloudWatchLogs.GroupName` of every project that a stack creates or updates."""
    handlers = provisioners._RESOURCE_HANDLERS[_TYPE]  # noqa: SLF001 -- ministack has no public registration
    provisioners._RESOURCE_HANDLERS[_TYPE] = handlers | {  # noqa: SLF001 -- as above
        "create": _kept(handlers["create"], properties_at=1),
        "update": _kept(handlers["update"], properties_at=2),
    }


def _kept(handler: Callable[..., Any], *, properties_at: int) -> Callable[..., Any]:
    def keeping(*arguments: Any) -> Any:  # noqa: ANN401 -- ministack's handlers carry no types
        answer = handler(*arguments)
        logs = arguments[properties_at].get("LogsConfig", {}).get("CloudWatchLogs", {})
        if group := logs.get("GroupName"):
            codebuild._projects[answer[0]]["logsConfig"] = {"cloudWatchLogs": {"groupName": group}}  # noqa: SLF001 -- as above
        return answer

    return keeping
