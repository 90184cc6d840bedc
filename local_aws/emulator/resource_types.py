"""The CloudFormation types added to ministack, entered into its private tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ministack.services.cloudformation import provisioners, stacks

Properties = Mapping[str, Any]
# The physical id (what Ref returns) and the attributes (what Fn::GetAtt returns).
Created = tuple[str, dict[str, str]]


@dataclass(frozen=True, kw_only=True)
class ResourceType:
    """One CloudFormation type: what creates, updates and deletes it, and which properties replace it."""

    name: str
    create: Callable[[str, Properties, str], Created]
    update: Callable[[str, Properties, Properties, str], Created]
    delete: Callable[[str, Properties], None]
    replacing: tuple[str, ...]
    tags: bool = field(default=True)


def register(types: list[ResourceType]) -> None:
    """Enter the types into ministack's tables."""
    for resource in types:
        provisioners._RESOURCE_HANDLERS[resource.name] = {  # noqa: SLF001 -- ministack has no public registration
            "create": resource.create,
            "update": resource.update,
            "delete": resource.delete,
        }
        provisioners._REPLACING_PROPERTIES[resource.name] = resource.replacing  # noqa: SLF001 -- as above
        if resource.tags:
            provisioners._STACK_TAG_PROPERTY[resource.name] = ("Tags", "list")  # noqa: SLF001 -- as above
    blocking = frozenset(resource.name for resource in types)
    known = stacks._runs_on_worker_thread  # noqa: SLF001 -- as above
    # These types wait for servers and call back into this process: on the event loop they would block it.
    stacks._runs_on_worker_thread = lambda name: name in blocking or known(name)  # noqa: SLF001 -- as above
