"""Struct layouts of the libllama builds this binding knows, and how to tell which one is loaded.

`llama_version()` does not tell builds apart, and a one-field slip is silent: the model "loads" with
another flag set. So the library is asked for its default parameters, and the layout is chosen by the
defaults that must stand at its offsets.
"""

import struct
from collections.abc import Mapping
from ctypes import Structure, sizeof
from dataclasses import dataclass

from semif.llama.structs import ContextParams160, ModelParams72, ModelParams80

PROBE_BYTES = 512  # larger than any known parameter struct: the library writes only its own size


class AbiError(Exception):
    """The loaded library has none of the known layouts; the message says what was read."""


_MODEL_DEFAULTS: Mapping[str, int] = {
    "n_gpu_layers": -1,
    "split_mode": 1,
    "load_mode": -1,
    "main_gpu": 0,
    "vocab_only": 0,
    "check_tensors": 0,
    "use_extra_bufts": 1,
    "no_alloc": 0,
}
_CONTEXT_DEFAULTS: Mapping[str, int] = {
    "n_ctx": 512,
    "n_batch": 2048,
    "n_ubatch": 512,
    "n_seq_max": 1,
    "n_threads": 4,
    "n_threads_batch": 4,
    "flash_attn_type": -1,
    "type_k": 1,
    "type_v": 1,
    "embeddings": 0,
    "offload_kqv": 1,
    "swa_full": 1,
    "kv_unified": 0,
}


@dataclass(frozen=True, slots=True)
class Layout:
    """The parameter structs of one family of builds."""

    builds: str
    model_params: type[Structure]
    context_params: type[Structure]
    model_defaults: Mapping[str, int]


LAYOUTS = (
    Layout("b10429 to b10435", ModelParams72, ContextParams160, _MODEL_DEFAULTS),
    Layout("v0.5.0, b11434", ModelParams80, ContextParams160, {**_MODEL_DEFAULTS, "lazy_mode": 1}),
)


def choose_layout(model_defaults: bytes, context_defaults: bytes) -> Layout:
    """Chooses the layout whose known defaults stand at its offsets.

    Args:
        model_defaults: `PROBE_BYTES` that begin with what `llama_model_default_params` returned.
        context_defaults: The same of `llama_context_default_params`.

    Raises:
        AbiError: None fits, or more than one does.
    """
    fitting = [
        layout
        for layout in LAYOUTS
        if _fits(layout.model_params, model_defaults, layout.model_defaults)
        and _fits(layout.context_params, context_defaults, _CONTEXT_DEFAULTS)
    ]
    if len(fitting) != 1:
        raise AbiError(
            f"this libllama's parameter structs fit {len(fitting)} of the known layouts "
            f"({'; '.join(layout.builds for layout in LAYOUTS)}): "
            f"llama_model_default_params reads {_words(model_defaults, sizeof(ModelParams80))}, "
            f"llama_context_default_params reads {_words(context_defaults, sizeof(ContextParams160))}"
        )
    return fitting[0]


def _fits(kind: type[Structure], raw: bytes, defaults: Mapping[str, int]) -> bool:
    values = kind.from_buffer_copy(raw)
    return all(getattr(values, name) == value for name, value in defaults.items())


def _words(raw: bytes, size: int) -> str:
    return "[" + " ".join(map(str, struct.unpack_from(f"<{size // 4}i", raw))) + "]"
