"""The decision endpoint: how it computes, what requests may ask for, and what flags an answer."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from config.hosting import Hosting
from config.rules import broken
from config.values import PositiveInt, Share, Table


class DecisionLimits(Table):
    """What requests to the decision endpoint may ask for; sizes in bytes and tokens.

    At most max_in_flight + max_waiting requests are inside; each is answered within deadline_seconds.
    """

    max_body_bytes: Annotated[int, Field(gt=0, le=6_291_456)]  # InvokeEndpoint accepts no more
    max_shared_decisions: PositiveInt
    max_request_tokens: PositiveInt
    max_in_flight: PositiveInt
    max_waiting: Annotated[int, Field(ge=0, le=1000)]
    deadline_seconds: Annotated[int, Field(gt=0, le=55)]  # InvokeEndpoint is cut at 60 s; the answer has to travel too


class DecisionFlags(Table):
    """Below which an answer is flagged: probability on the letters, and distance between the best two options."""

    min_token_mass: Share
    min_margin: Share


class DecisionHosting(Hosting):
    """The decision endpoint; context_tokens is the longest prompt of one decision."""

    threads: PositiveInt
    gpu_layers: Annotated[int, Field(ge=-1, le=1024)]  # -1 is every layer
    # How many states of earlier requests stay in memory; as many as fit, at most four, where it is absent.
    resident_states: Annotated[int, Field(ge=0, le=128)] | None = None
    # Questions of one request that are decoded together. More than 1 is faster, and changes the logits in their last
    # digits with the company a question is in; answers name it as their serving path.
    branches: Annotated[int, Field(ge=1, le=16)]
    limits: DecisionLimits
    flags: DecisionFlags

    @model_validator(mode="after")
    def _fits_the_machine(self) -> Self:
        smallest = min(self.instance_types, key=lambda member: member.vcpus)
        if self.threads > smallest.vcpus:
            raise broken("threads", f"{self.threads} is more than the {smallest.vcpus} vCPUs of {smallest.name}")
        if self.gpu_layers and self.accelerator == "cpu":
            raise broken("gpu_layers", f"must be 0 on {self.instance_types[0].name}, which has no GPU")
        if not self.gpu_layers and self.accelerator == "cuda":
            raise broken("gpu_layers", f"must not be 0 on {self.instance_types[0].name}: its GPU would hold no layer")
        places = self.limits.max_in_flight + self.limits.max_waiting
        scaling = self.scaling
        if scaling and scaling.metric == "concurrent_requests_per_model" and scaling.target_value >= places:
            rule = f"must be below the {places} requests an instance takes, or the next is refused before one is added"
            raise broken("scaling.target_value", rule)
        if self.limits.max_request_tokens < self.context_tokens:
            raise broken("limits.max_request_tokens", f"must be at least context_tokens, {self.context_tokens}")
        return self
