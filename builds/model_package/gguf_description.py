"""What a GGUF is by its own metadata: a language model that can be served, and the summary kept of it."""

import hashlib
from collections.abc import Mapping, Sequence

from gguf_structure import Array, Structure, Value
from model_pin import PackagingError

PROJECTORS = ("clip", "mmproj")
"""Architectures of a vision or audio encoder: llama-server takes them beside a model and never alone."""
OTHER_KINDS = ("mmproj", "adapter", "vocab", "imatrix")
"""Values of general.type that are no model of their own."""

Summary = dict[str, int | str | None]


def describe(parts: Sequence[Structure]) -> Summary:
    """Return the summary of a GGUF, whole or in parts, that both endpoints can serve.

    Raises:
        PackagingError: It is a projector or another part of a model, its parts are not those of one set, or it lacks
            tensors, architecture, context length, tokenizer or chat template, for each of which a server would
            silently take something else.
    """
    tensors = sum(part.tensors for part in parts)
    _check_split(parts, tensors)
    if not tensors:
        raise PackagingError("The GGUF holds no tensors.")
    metadata = parts[0].metadata
    architecture = _text(metadata, "general.architecture")
    kind = metadata.get("general.type")
    if architecture in PROJECTORS or kind in OTHER_KINDS:
        raise PackagingError(
            f"The GGUF is no language model: general.architecture is {architecture!r}, general.type is {kind!r}."
        )
    context_length = metadata.get(f"{architecture}.context_length")
    if not isinstance(context_length, int) or context_length < 1:
        raise PackagingError(f"The GGUF has no {architecture}.context_length: it is {context_length!r}.")
    tokens = metadata.get("tokenizer.ggml.tokens")
    if not isinstance(tokens, Array) or not tokens.count:
        raise PackagingError("The GGUF has no tokenizer: tokenizer.ggml.tokens is absent or empty.")
    template = _text(metadata, "tokenizer.chat_template")
    return {
        "format_version": parts[0].version,
        "tensors": tensors,
        "architecture": architecture,
        "context_length": context_length,
        "block_count": _integer(metadata.get(f"{architecture}.block_count")),
        "file_type": _integer(metadata.get("general.file_type")),
        "quantization_version": _integer(metadata.get("general.quantization_version")),
        "tokenizer": _text(metadata, "tokenizer.ggml.model"),
        "vocabulary_size": tokens.count,
        "chat_template_sha256": hashlib.sha256(template.encode()).hexdigest(),
        "name": _string(metadata.get("general.name")),
        "license": _string(metadata.get("general.license")),
    }


def _check_split(parts: Sequence[Structure], tensors: int) -> None:
    """Compare what each part says with its place: libllama finds the further parts by the name of the first alone."""
    for index, part in enumerate(parts):
        said = part.metadata.get("split.no", 0), part.metadata.get("split.count", 1)
        # Merged again, a file keeps its number and says that it is one of none.
        if said != (index, len(parts)) and (len(parts) > 1 or said[1] not in {0, 1}):
            raise PackagingError(
                f"The GGUF's file {index + 1} of {len(parts)} says split.no {said[0]!r} and split.count {said[1]!r}."
            )
        if (total := part.metadata.get("split.tensors.count", tensors)) != tensors:
            raise PackagingError(f"The GGUF holds {tensors} tensors, its split.tensors.count is {total!r}.")


def _text(metadata: Mapping[str, Value], key: str) -> str:
    value = metadata.get(key)
    if not isinstance(value, str) or not value:
        raise PackagingError(f"The GGUF has no {key}.")
    return value


def _integer(value: Value) -> int | None:
    return value if isinstance(value, int) else None


def _string(value: Value) -> str | None:
    return value if isinstance(value, str) else None
