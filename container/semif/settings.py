"""The container's settings: every `SEMIF_*` variable, parsed strictly, unknown ones refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from semif.cpu_limit import default_threads, most_threads
from semif.decision import StartFailure
from semif.split_set import PinnedFile, parts_behind, sizes_and_digests
from semif.variables import (
    Variables,
    body_bytes,
    branches,
    count,
    deadline,
    endpoint,
    file_name,
    folder,
    layers,
    port,
    positive,
    sequences,
    sha256,
    share,
    text,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the stack, the image and the platform decided. Sizes are bytes or tokens as named.

    `n_gpu_layers` is -1 for every layer, 0 for none. `template_sha256` and the tokenizer's pin are
    None when the environment does not carry them; `resident_states` is None for as many as fit. `gguf_parts` are the
    files behind the first of a split GGUF.
    """

    model_name: str
    model_file: str
    gguf_sha256: str
    gguf_bytes: int
    gguf_parts: tuple[PinnedFile, ...]
    known_prompt_sha256: str
    image_digest: str
    template_sha256: str | None
    tokenizer_repository: str | None
    tokenizer_revision: str | None
    threads: int
    n_gpu_layers: int
    max_body_bytes: int
    max_shared_decisions: int
    max_tokens: int
    max_request_tokens: int
    max_in_flight: int
    max_waiting: int
    deadline_seconds: int
    resident_states: int | None
    branches: int
    min_token_mass: float
    min_margin: float
    endpoint_name: str
    llama_dir: Path
    model_dir: Path
    host: str
    port: int

    @property
    def model_path(self) -> Path:
        """The one file the stack names and libllama opens; no folder is ever scanned."""
        return self.model_dir / self.model_file

    @property
    def files(self) -> tuple[PinnedFile, ...]:
        """The GGUF, or the parts of a split one in their order."""
        return PinnedFile(self.model_file, self.gguf_bytes, self.gguf_sha256), *self.gguf_parts

    @property
    def weights_bytes(self) -> int:
        """Bytes of all of them."""
        return sum(file.bytes for file in self.files)


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Reads the settings.

    Raises:
        StartFailure: A variable is missing, malformed, or a `SEMIF_*` this container does not know.
    """
    variables = Variables(environment)
    model_file = variables.required("SEMIF_MODEL_FILE", file_name)
    settings = Settings(
        model_name=variables.required("SEMIF_MODEL_NAME", text),
        model_file=model_file,
        gguf_sha256=variables.required("SEMIF_GGUF_SHA256", sha256),
        gguf_bytes=variables.required("SEMIF_GGUF_BYTES", positive),
        gguf_parts=parts_behind(model_file, variables.optional("SEMIF_GGUF_PARTS", sizes_and_digests, ())),
        known_prompt_sha256=variables.required("SEMIF_KNOWN_PROMPT_SHA256", sha256),
        image_digest=variables.required("SEMIF_IMAGE_DIGEST", text),
        template_sha256=variables.absent_or("SEMIF_TEMPLATE_SHA256", sha256),
        tokenizer_repository=variables.absent_or("SEMIF_TOKENIZER_REPOSITORY", text),
        tokenizer_revision=variables.absent_or("SEMIF_TOKENIZER_REVISION", text),
        threads=min(variables.optional("SEMIF_THREADS", positive, default_threads()), most_threads()),
        n_gpu_layers=variables.optional("SEMIF_N_GPU_LAYERS", layers, 0),
        max_body_bytes=variables.optional("SEMIF_MAX_BODY_BYTES", body_bytes, 262144),
        max_shared_decisions=variables.optional("SEMIF_MAX_SHARED_DECISIONS", positive, 8),
        max_tokens=variables.optional("SEMIF_MAX_TOKENS", positive, 4096),
        max_request_tokens=variables.optional("SEMIF_MAX_REQUEST_TOKENS", positive, 8192),
        max_in_flight=variables.optional("SEMIF_MAX_IN_FLIGHT", positive, 1),
        max_waiting=variables.optional("SEMIF_MAX_WAITING", count, 4),
        deadline_seconds=variables.optional("SEMIF_DEADLINE_SECONDS", deadline, 50),
        resident_states=variables.absent_or("SEMIF_RESIDENT_STATES", sequences),
        branches=variables.optional("SEMIF_BRANCHES", branches, 1),
        min_token_mass=variables.optional("SEMIF_MIN_TOKEN_MASS", share, 0.5),
        min_margin=variables.optional("SEMIF_MIN_MARGIN", share, 0.1),
        endpoint_name=variables.optional("SEMIF_ENDPOINT_NAME", endpoint, "unnamed"),
        llama_dir=variables.optional("SEMIF_LLAMA_DIR", folder, Path("/opt/llama.cpp/bin")),
        model_dir=variables.optional("SEMIF_MODEL_DIR", folder, Path("/opt/ml/model")),
        host=variables.optional("SEMIF_HOST", text, "0.0.0.0"),  # noqa: S104 - SageMaker reaches the container from outside
        port=variables.optional("SEMIF_PORT", port, 8080),
    )
    variables.refuse_the_rest()
    if (settings.tokenizer_repository is None) != (settings.tokenizer_revision is None):
        raise StartFailure("SEMIF_TOKENIZER_REPOSITORY and SEMIF_TOKENIZER_REVISION go together or not at all")
    return settings
