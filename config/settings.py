"""All settings of one environment, and the invariants between their tables."""

from typing import Literal, Self

from pydantic import model_validator

from config.access import Callers, Network
from config.chat_hosting import ChatHosting
from config.decision_hosting import DecisionHosting
from config.images import Images
from config.model import ModelPin
from config.monitoring import Monitoring
from config.rules import broken
from config.values import AccountId, EnvironmentName, Region, Table

# The periods CloudWatch Logs accepts.
LogRetentionDays = Literal[
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653
]


class Environment(Table):
    """Where to deploy. Without account and region the templates fit any of them."""

    name: EnvironmentName
    account: AccountId | None = None
    region: Region | None = None
    registry_account: AccountId | None = None

    @model_validator(mode="after")
    def _account_has_region(self) -> Self:
        if self.account and not self.region:
            raise broken("region", "is required with account: a stack is bound to both or leaves the account open")
        return self


class Protection(Table):
    """What survives; retention in days."""

    retain_data: bool
    termination_protection: bool
    log_retention_days: LogRetentionDays


class Settings(Table):
    """One environment, complete."""

    environment: Environment
    model: ModelPin
    images: Images
    chat: ChatHosting
    decision: DecisionHosting
    monitoring: Monitoring
    network: Network | None = None
    callers: Callers | None = None
    protection: Protection

    @model_validator(mode="after")
    def _images_suit_the_machines(self) -> Self:
        self.images.chat.check("chat", "chat", self.chat)
        self.images.decision_base.check("decision_base", "decision", self.decision)
        return self

    @model_validator(mode="after")
    def _protected_model_is_verified(self) -> Self:
        if self.chat.hub_model and self.protection.termination_protection:
            rule = "nothing can verify it, so it is refused where protection.termination_protection is true"
            raise broken("chat.hub_model", f"{self.chat.hub_model.repository} is downloaded unpinned: {rule}")
        return self

    @model_validator(mode="after")
    def _endpoints_have_two_names(self) -> Self:
        if self.chat.endpoint_name.lower() == self.decision.endpoint_name.lower():
            raise broken("decision.endpoint_name", f"{self.decision.endpoint_name} is the chat endpoint's name already")
        return self
