"""Who reaches an endpoint and what it reaches: its network, and how callers prove who they are."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from config.rules import broken
from config.values import SecurityGroupId, SubnetId, Table

# CreateModel's limits, and two subnets so that one zone may fail.
SubnetIds = Annotated[tuple[SubnetId, ...], Field(strict=False, min_length=2, max_length=16)]
SecurityGroupIds = Annotated[tuple[SecurityGroupId, ...], Field(strict=False, min_length=1, max_length=5)]


class Network(Table):
    """The VPC that both endpoints' instances are attached to; everything in it exists already."""

    subnet_ids: SubnetIds
    security_group_ids: SecurityGroupIds

    @model_validator(mode="after")
    def _names_each_once(self) -> Self:
        for key in ("subnet_ids", "security_group_ids"):
            ids = getattr(self, key)
            if twice := sorted({each for each in ids if ids.count(each) > 1}):
                raise broken(key, f"{', '.join(twice)} is there twice")
        return self


class Callers(Table):
    """How callers of the chat endpoint may prove who they are besides signing each request."""

    bearer_tokens: bool
