"""The identity record of an answer: what produced it."""

from typing import Any

from pydantic import ConfigDict, SerializerFunctionWrapHandler, model_serializer

from decision_client.values import Frozen, Sha256, Text, canonical_sha256


class _Record(Frozen):
    # A newer container may say more of itself; what it says belongs to the digest.
    model_config = ConfigDict(frozen=True, extra="allow", hide_input_in_errors=True)


class GgufPart(_Record):
    """A file of a split model: name, size in bytes, SHA-256."""

    file: Text
    bytes: int
    sha256: Sha256


class Gguf(_Record):
    """The model file: name, size in bytes, SHA-256; of a split one the first file, and the parts behind it."""

    file: Text
    bytes: int
    sha256: Sha256
    parts: tuple[GgufPart, ...] = ()

    @property
    def content_sha256(self) -> str:
        """What names all its bytes: its digest, or of a split one that of its files' digests in their order."""
        return canonical_sha256([self.sha256, *(part.sha256 for part in self.parts)]) if self.parts else self.sha256

    @model_serializer(mode="wrap")
    def _as_sent(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        record: dict[str, Any] = serialize(self)
        if not self.parts:
            del record["parts"]  # the container sends none, and the digest is of what it sends
        return record


class Tokenizer(_Record):
    """Where the tokenizer's definition is pinned."""

    source: Text
    revision: Text


class LlamaCpp(_Record):
    """The library: what it calls itself, and the SHA-256 of its file."""

    version: Text
    library_sha256: Sha256


class Runtime(Frozen):
    """The part of an identity that may differ between instances of one deployment; `device` is None on a CPU."""

    backend: Text
    device: Text | None = None
    layers_offloaded: int
    serving_path: Text


class Identity(_Record):
    """The record as the container sends it; two answers compare only if it is equal."""

    name: Text
    gguf: Gguf
    template_sha256: Sha256
    prompt_version: Text
    tokenizer: Tokenizer | None
    llama_cpp: LlamaCpp
    backend: Text
    device: Text | None
    n_gpu_layers: int
    layers_offloaded: int
    layers_total: int
    threads: int
    context_tokens: int
    serving_path: Text
    image_digest: Text
    adapter_version: Text

    @property
    def sha256(self) -> str:
        """The digest of the whole record, fields that this client does not know included."""
        return canonical_sha256(self.model_dump(mode="json"))

    @property
    def runtime(self) -> Runtime:
        """Where and how it ran."""
        return Runtime(
            backend=self.backend,
            device=self.device,
            layers_offloaded=self.layers_offloaded,
            serving_path=self.serving_path,
        )
