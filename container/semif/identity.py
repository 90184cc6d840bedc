"""The identity record: which bytes, prompt, library and hardware path produced an answer."""

from dataclasses import asdict, dataclass

from semif.split_set import PinnedFile


@dataclass(frozen=True, slots=True)
class Gguf:
    """The model file: name, size in bytes, SHA-256 in lower-case hex; of a split one the first file, and the parts."""

    file: str
    bytes: int
    sha256: str
    parts: tuple[PinnedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """Where the tokenizer's definition is pinned; the tokens themselves come from the GGUF."""

    source: str
    revision: str


@dataclass(frozen=True, slots=True)
class LlamaCpp:
    """The library in this process: what it calls itself, and the SHA-256 of `libllama.so`."""

    version: str
    library_sha256: str


@dataclass(frozen=True, slots=True)
class Identity:
    """One definition for answers, logs, policy and audit; `device` is null on the CPU."""

    name: str
    gguf: Gguf
    template_sha256: str
    prompt_version: str
    tokenizer: Tokenizer | None
    llama_cpp: LlamaCpp
    backend: str
    device: str | None
    n_gpu_layers: int
    layers_offloaded: int
    layers_total: int
    threads: int
    context_tokens: int
    serving_path: str
    image_digest: str
    adapter_version: str

    def as_json(self) -> dict[str, object]:
        """The record as plain JSON values, keys in declared order; `parts` is there for a split GGUF alone."""
        record = asdict(self)
        if not self.gguf.parts:
            del record["gguf"]["parts"]
        return record
