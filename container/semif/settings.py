"""The container's settings: every `SEMIF_*` variable, parsed strictly, unknown ones refused."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from semif.cpu_limit import default_threads, most_threads
from semif.decision import StartFailure

T = TypeVar("T")

_DIGITS = re.compile(r"[0-9]{1,15}")
_SHARE = re.compile(r"0(\.[0-9]{1,9})?|1(\.0{1,9})?")
MOST_RESIDENT_STATES, MOST_BRANCHES = 128, 16  # the library has 256 sequences at most
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the stack, the image and the platform decided. Sizes are bytes or tokens as named.

    `n_gpu_layers` is -1 for every layer, 0 for none. `template_sha256` and the tokenizer's pin are
    None when the environment does not carry them; `resident_states` is None for as many as fit.
    """

    model_name: str
    model_file: str
    gguf_sha256: str
    gguf_bytes: int
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
        """The one file the stack names; no folder is ever scanned."""
        return self.model_dir / self.model_file


class _Variables:
    """The `SEMIF_*` part of an environment; remembers what was asked for to refuse the rest."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._values = {name: value for name, value in environment.items() if name.startswith("SEMIF_")}
        self._known: set[str] = set()

    def optional(self, name: str, parse: Callable[[str, str], T], default: T) -> T:
        self._known.add(name)
        return parse(name, self._values[name]) if name in self._values else default

    def absent_or(self, name: str, parse: Callable[[str, str], T]) -> T | None:
        self._known.add(name)
        return parse(name, self._values[name]) if name in self._values else None

    def required(self, name: str, parse: Callable[[str, str], T]) -> T:
        if name not in self._values:
            raise StartFailure(f"{name} is not set")
        return self.optional(name, parse, parse(name, self._values[name]))

    def refuse_the_rest(self) -> None:
        for name in sorted(self._values.keys() - self._known):
            raise StartFailure(f"{name} is not a setting of this container")


def _positive(name: str, value: str) -> int:
    if not _DIGITS.fullmatch(value) or int(value) == 0:
        raise StartFailure(f"{name} must be a positive integer")
    return int(value)


def _count(name: str, value: str) -> int:
    if not _DIGITS.fullmatch(value):
        raise StartFailure(f"{name} must be 0 or a positive integer")
    return int(value)


def _sequences(name: str, value: str) -> int:
    if (count := _count(name, value)) > MOST_RESIDENT_STATES:
        raise StartFailure(f"{name} must be at most {MOST_RESIDENT_STATES}")
    return count


def _branches(name: str, value: str) -> int:
    if (count := _positive(name, value)) > MOST_BRANCHES:
        raise StartFailure(f"{name} must be at most {MOST_BRANCHES}")
    return count


def _share(name: str, value: str) -> float:
    if not _SHARE.fullmatch(value):
        raise StartFailure(f"{name} must be a decimal number from 0 to 1")
    return float(value)


def _port(name: str, value: str) -> int:
    port = _positive(name, value)
    if port > 65535:  # noqa: PLR2004 - the largest TCP port
        raise StartFailure(f"{name} must be a TCP port, at most 65535")
    return port


def _layers(name: str, value: str) -> int:
    if value != "-1" and not _DIGITS.fullmatch(value):
        raise StartFailure(f"{name} must be -1 (every layer), 0 (none) or a number of layers")
    return int(value)


def _sha256(name: str, value: str) -> str:
    if not _SHA256.fullmatch(value):
        raise StartFailure(f"{name} must be a SHA-256: 64 lower-case hexadecimal digits")
    return value


def _text(name: str, value: str) -> str:
    if not value or value != value.strip() or not value.isprintable():
        raise StartFailure(f"{name} must be a non-empty printable text without surrounding spaces")
    return value


def _file_name(name: str, value: str) -> str:
    if _text(name, value) != Path(value).name or not value.endswith(".gguf"):
        raise StartFailure(f"{name} must be the bare name of a .gguf file")
    return value


def _folder(name: str, value: str) -> Path:
    return Path(_text(name, value))


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Reads the settings.

    Raises:
        StartFailure: A variable is missing, malformed, or a `SEMIF_*` this container does not know.
    """
    variables = _Variables(environment)
    settings = Settings(
        model_name=variables.required("SEMIF_MODEL_NAME", _text),
        model_file=variables.required("SEMIF_MODEL_FILE", _file_name),
        gguf_sha256=variables.required("SEMIF_GGUF_SHA256", _sha256),
        gguf_bytes=variables.required("SEMIF_GGUF_BYTES", _positive),
        known_prompt_sha256=variables.required("SEMIF_KNOWN_PROMPT_SHA256", _sha256),
        image_digest=variables.required("SEMIF_IMAGE_DIGEST", _text),
        template_sha256=variables.absent_or("SEMIF_TEMPLATE_SHA256", _sha256),
        tokenizer_repository=variables.absent_or("SEMIF_TOKENIZER_REPOSITORY", _text),
        tokenizer_revision=variables.absent_or("SEMIF_TOKENIZER_REVISION", _text),
        threads=min(variables.optional("SEMIF_THREADS", _positive, default_threads()), most_threads()),
        n_gpu_layers=variables.optional("SEMIF_N_GPU_LAYERS", _layers, 0),
        max_body_bytes=variables.optional("SEMIF_MAX_BODY_BYTES", _positive, 262144),
        max_shared_decisions=variables.optional("SEMIF_MAX_SHARED_DECISIONS", _positive, 8),
        max_tokens=variables.optional("SEMIF_MAX_TOKENS", _positive, 4096),
        max_request_tokens=variables.optional("SEMIF_MAX_REQUEST_TOKENS", _positive, 8192),
        max_in_flight=variables.optional("SEMIF_MAX_IN_FLIGHT", _positive, 1),
        max_waiting=variables.optional("SEMIF_MAX_WAITING", _count, 4),
        deadline_seconds=variables.optional("SEMIF_DEADLINE_SECONDS", _positive, 50),
        resident_states=variables.absent_or("SEMIF_RESIDENT_STATES", _sequences),
        branches=variables.optional("SEMIF_BRANCHES", _branches, 1),
        min_token_mass=variables.optional("SEMIF_MIN_TOKEN_MASS", _share, 0.5),
        min_margin=variables.optional("SEMIF_MIN_MARGIN", _share, 0.1),
        endpoint_name=variables.optional("SEMIF_ENDPOINT_NAME", _text, "unnamed"),
        llama_dir=variables.optional("SEMIF_LLAMA_DIR", _folder, Path("/opt/llama.cpp/bin")),
        model_dir=variables.optional("SEMIF_MODEL_DIR", _folder, Path("/opt/ml/model")),
        host=variables.optional("SEMIF_HOST", _text, "0.0.0.0"),  # noqa: S104 - SageMaker reaches the container from outside
        port=variables.optional("SEMIF_PORT", _port, 8080),
    )
    variables.refuse_the_rest()
    if (settings.tokenizer_repository is None) != (settings.tokenizer_revision is None):
        raise StartFailure("SEMIF_TOKENIZER_REPOSITORY and SEMIF_TOKENIZER_REVISION go together or not at all")
    return settings
