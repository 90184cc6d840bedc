from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Self

from config.chat_hosting import ChatHosting
from config.content import declared_text
from config.decision_hosting import DecisionHosting
from config.model import ModelPin

# The support-route decision: what the deployment asks, and the one whose rendered prompt the model pin knows.
_DECISION_ID = "support-route"
_OPTION_IDS = ("account_access", "billing", "sales")


@dataclass(frozen=True)
class WantedAnswer:
    """What a deployed endpoint answers to a known question, as far as the pins say beforehand.

    Attributes:
        kind: Which question is asked: decision or chat; unasked where there is none.
        fields: The fields of the answer that are known.
    """

    kind: str
    fields: Mapping[str, object]

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", MappingProxyType(dict(self.fields)))

    @classmethod
    def of_chat(cls, model: ModelPin, hosting: ChatHosting) -> Self:
        """Return what a completion tells of the model: the name under which llama-server serves it, its file's.

        A model of the hub is served under a name that nobody promises. A server of embeddings or rankings completes
        nothing, and InvokeEndpoint reaches nothing else: what runs is compared, and it is not asked.
        """
        if hosting.server and (hosting.server.embeddings or hosting.server.reranking):
            return cls("unasked", {})
        fields = {"object": "chat.completion"}
        return cls("chat", fields if hosting.hub_model else {**fields, "model": model.file})

    @classmethod
    def of_decision(cls, model: ModelPin, hosting: DecisionHosting, *, image_digest: str) -> Self:
        """Return the identity record and the prompt's digest, from the pins and from the container's sources.

        The record says itself which image it is from, as the stack told it. That the version of its code is this
        checkout's shows that the image behind the digest is.
        """
        pin = model.tokenizer
        tokenizer = {"source": pin.repository, "revision": pin.revision} if pin else None
        gguf: dict[str, object] = {"file": model.file, "bytes": model.bytes, "sha256": model.sha256}
        if model.parts:
            gguf["parts"] = [part.model_dump() for part in model.parts]
        prompt_version = declared_text("PROMPT_VERSION", "semif/decision.py")
        identity: dict[str, object] = {
            "name": model.name,
            "gguf": gguf,
            "prompt_version": prompt_version,
            "tokenizer": tokenizer,
            "n_gpu_layers": hosting.gpu_layers,
            "threads": hosting.threads,
            "context_tokens": hosting.context_tokens,
            "serving_path": "canonical",  # of a single decision always: there is no other to be decoded with
            "image_digest": image_digest,
            "adapter_version": declared_text("ADAPTER_VERSION", "semif/__init__.py"),
        }
        if model.template_sha256:
            identity["template_sha256"] = model.template_sha256
        result = {
            "id": _DECISION_ID,
            "option_ids": list(_OPTION_IDS),
            "prompt_sha256": model.known_prompt_sha256,
            "prompt_version": prompt_version,
        }
        return cls("decision", result | {"model": identity})
