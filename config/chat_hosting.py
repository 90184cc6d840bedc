"""The chat endpoint: whose model it serves, and with which flags."""

from typing import Self

from pydantic import model_validator

from config.chat_server import ChatServer
from config.hosting import Hosting
from config.rules import broken
from config.values import GgufFile, HubRepository, Table


class HubModel(Table):
    """A model that the chat container downloads from the Hugging Face hub at each start: whatever lies there then."""

    repository: HubRepository
    file: GgufFile


class ChatHosting(Hosting):
    """The chat endpoint, which serves the pinned model unless it names one on the hub."""

    hub_model: HubModel | None = None
    server: ChatServer | None = None

    @model_validator(mode="after")
    def _server_fits_the_machine(self) -> Self:
        smallest = min(self.instance_types, key=lambda member: member.vcpus)
        for field in ("threads", "threads_batch"):
            threads = getattr(self.server, field, None) or 0
            if threads > smallest.vcpus:
                raise broken(f"server.{field}", f"{threads} is more than the {smallest.vcpus} vCPUs of {smallest.name}")
        if self.server and self.server.n_gpu_layers and self.accelerator == "cpu":
            raise broken("server.n_gpu_layers", f"must be 0 or absent on {smallest.name}, which has no GPU")
        return self
