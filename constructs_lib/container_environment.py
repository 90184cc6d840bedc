from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Self

import aws_cdk as cdk

from config.chat_hosting import ChatHosting
from config.chat_server import ChatServer
from config.decision_hosting import DecisionHosting
from config.model import ModelPin
from config.rules import ConfigurationError

MODEL_FOLDER = "/opt/ml/model"
# CreateModel's limits.
MAX_VARIABLES = 100
MAX_VALUE_CHARACTERS = 1024
# The deep learning container turns every SM_LLAMA_CPP_FOO_BAR into --foo-bar, whatever it is: only these may be there.
DLC_PREFIX = "SM_LLAMA_CPP_"
HUB_VARIABLES = frozenset({"SM_LLAMA_CPP_HF_REPO", "SM_LLAMA_CPP_HF_FILE"})
DLC_VARIABLES = frozenset(DLC_PREFIX + name for name in ("MODEL", "CTX_SIZE", *ChatServer.variables())) | HUB_VARIABLES


@dataclass(frozen=True)
class ContainerEnvironment:
    """The environment variables of a model's container.

    Raises:
        ConfigurationError: A variable that SageMaker would refuse, or the container would misread.
    """

    variables: Mapping[str, str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", MappingProxyType(dict(self.variables)))
        if len(self.variables) > MAX_VARIABLES:
            count = len(self.variables)
            raise ConfigurationError(f"a container takes at most {MAX_VARIABLES} environment variables, not {count}.")
        for name, value in self.variables.items():
            if rule := _broken_rule(name, value):
                raise ConfigurationError(f"environment variable {name} of the container {rule}.")
        if self.downloads and "SM_LLAMA_CPP_MODEL" in self.variables:
            raise ConfigurationError("a container serves a model from its folder or from the hub, not both.")

    @property
    def downloads(self) -> bool:
        """Whether the container gets its model from the hub, for which it needs the network."""
        return bool(self.variables.keys() & HUB_VARIABLES)

    @classmethod
    def of_chat(cls, model: ModelPin, hosting: ChatHosting) -> Self:
        """Return what the deep learning container needs: exactly the file to serve, its context, and its flags."""
        if hub := hosting.hub_model:
            served = {"SM_LLAMA_CPP_HF_REPO": hub.repository, "SM_LLAMA_CPP_HF_FILE": hub.file}
        else:
            served = {"SM_LLAMA_CPP_MODEL": f"{MODEL_FOLDER}/{model.file}"}
        flags = hosting.server.flags if hosting.server else {}
        return cls(
            served
            | {"SM_LLAMA_CPP_CTX_SIZE": str(hosting.context_tokens)}
            | {DLC_PREFIX + name: value for name, value in flags.items()}
        )

    @classmethod
    def of_decision(cls, model: ModelPin, hosting: DecisionHosting, *, image_digest: str) -> Self:
        """Return what our container needs: the pins it checks at start, and its limits."""
        pins = {
            "SEMIF_MODEL_NAME": model.name,
            "SEMIF_MODEL_FILE": model.file,
            "SEMIF_GGUF_SHA256": model.sha256,
            "SEMIF_GGUF_BYTES": str(model.bytes),
            "SEMIF_KNOWN_PROMPT_SHA256": model.known_prompt_sha256,
            "SEMIF_IMAGE_DIGEST": image_digest,
            "SEMIF_ENDPOINT_NAME": hosting.endpoint_name,
            "SEMIF_MIN_TOKEN_MASS": _decimal(hosting.flags.min_token_mass),
            "SEMIF_MIN_MARGIN": _decimal(hosting.flags.min_margin),
        }
        if model.parts:
            pins["SEMIF_GGUF_PARTS"] = model.further_parts
        if model.template_sha256:
            pins["SEMIF_TEMPLATE_SHA256"] = model.template_sha256
        if model.tokenizer:
            pins["SEMIF_TOKENIZER_REPOSITORY"] = model.tokenizer.repository
            pins["SEMIF_TOKENIZER_REVISION"] = model.tokenizer.revision
        limits = {
            "SEMIF_THREADS": hosting.threads,
            "SEMIF_N_GPU_LAYERS": hosting.gpu_layers,
            "SEMIF_MAX_TOKENS": hosting.context_tokens,
            "SEMIF_MAX_BODY_BYTES": hosting.limits.max_body_bytes,
            "SEMIF_MAX_SHARED_DECISIONS": hosting.limits.max_shared_decisions,
            "SEMIF_MAX_REQUEST_TOKENS": hosting.limits.max_request_tokens,
            "SEMIF_MAX_IN_FLIGHT": hosting.limits.max_in_flight,
            "SEMIF_MAX_WAITING": hosting.limits.max_waiting,
            "SEMIF_DEADLINE_SECONDS": hosting.limits.deadline_seconds,
            "SEMIF_BRANCHES": hosting.branches,
        }
        if hosting.resident_states is not None:
            limits["SEMIF_RESIDENT_STATES"] = hosting.resident_states
        return cls(pins | {name: str(value) for name, value in limits.items()})


def _decimal(share: float) -> str:
    """Write a number from 0 to 1 without an exponent, in at most nine decimals."""
    return f"{share:.9f}".rstrip("0").rstrip(".")


def _broken_rule(name: str, value: str) -> str | None:
    if cdk.Token.is_unresolved(value):
        return None  # known at deployment only; the digests we pass so are short
    if len(value) > MAX_VALUE_CHARACTERS:
        return f"has {len(value)} characters; SageMaker takes at most {MAX_VALUE_CHARACTERS}"
    if name.startswith(DLC_PREFIX):
        if name not in DLC_VARIABLES:
            return "would become an unknown flag of llama-server"
        if not value or value.lower() == "false" or len(value.splitlines()) > 1:
            return "must not be empty, false or of several lines: such values become other flags, or none"
    return None
