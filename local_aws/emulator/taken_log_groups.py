"""CloudFormation's refusal to create a log group whose name is taken, which ministack would empty and take over."""

from typing import Any

from ministack.services import cloudwatch_logs
from ministack.services.cloudformation import provisioners

LOG_GROUP = "AWS::Logs::LogGroup"


def register() -> None:
    """Let the creation of a log group with a given name fail where there is one."""
    handlers = provisioners._RESOURCE_HANDLERS[LOG_GROUP]  # noqa: SLF001 -- ministack has no public registration
    known = handlers["create"]

    def create(logical_id: str, properties: dict[str, Any], stack_name: str) -> Any:  # noqa: ANN401 -- ministack's own answer tuple
        name = properties.get("LogGroupName")
        if name in cloudwatch_logs._log_groups:  # noqa: SLF001 -- as above
            identifier = f'{{"/properties/LogGroupName":"{name}"}}'
            raise ValueError(f"Resource of type '{LOG_GROUP}' with identifier '{identifier}' already exists.")
        return known(logical_id, properties, stack_name)

    provisioners._RESOURCE_HANDLERS[LOG_GROUP] = handlers | {"create": create}  # noqa: SLF001 -- as above
