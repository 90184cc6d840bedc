"""What ministack drops from a template: the log group of a CodeBuild project, tags and encryption of a bucket.

CDK's own handler that empties a bucket before its deletion does so only for a bucket with the tag that asks for it.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ministack.services import codebuild, s3
from ministack.services.cloudformation import provisioners

from local_aws.emulator.object_permissions import default_encryption


def register() -> None:
    """Keep these properties for every project and bucket that a stack creates or updates."""
    for resource_type, keep in (("AWS::CodeBuild::Project", _keep_log_group), ("AWS::S3::Bucket", _keep_bucket)):
        handlers = provisioners._RESOURCE_HANDLERS[resource_type]  # noqa: SLF001 -- ministack has no public registration
        provisioners._RESOURCE_HANDLERS[resource_type] = handlers | {  # noqa: SLF001 -- as above
            "create": _keeping(handlers["create"], keep, properties_at=1),
            "update": _keeping(handlers["update"], keep, properties_at=2),
        }


def _keeping(
    handler: Callable[..., Any], keep: Callable[[str, Mapping[str, Any]], None], *, properties_at: int
) -> Callable[..., Any]:
    def keeping(*arguments: Any) -> Any:  # noqa: ANN401 -- ministack's handlers carry no types
        answer = handler(*arguments)
        keep(answer[0], arguments[properties_at])
        return answer

    return keeping


def _keep_log_group(project: str, properties: Mapping[str, Any]) -> None:
    logs = properties.get("LogsConfig", {}).get("CloudWatchLogs", {})
    if group := logs.get("GroupName"):
        codebuild._projects[project]["logsConfig"] = {"cloudWatchLogs": {"groupName": group}}  # noqa: SLF001 -- as above


def _keep_bucket(bucket: str, properties: Mapping[str, Any]) -> None:
    if tags := properties.get("Tags"):
        s3._bucket_tags[bucket] = {tag["Key"]: tag["Value"] for tag in tags}  # noqa: SLF001 -- as above
    if encryption := default_encryption(properties):
        s3._put_bucket_encryption(bucket, encryption)  # noqa: SLF001 -- as above
