"""Struct layouts of the libllama builds this binding knows, and how to tell which one is loaded.

`llama_version()` does not tell builds apart, and a one-field slip is silent: the model "loads" with
another flag set. So the library is asked for its default parameters, and the layout is chosen by the
defaults that must stand at its offsets. https://github.com/ggml-org/llama.cpp/blob/master/include/llama.h
"""

import struct
from collections.abc import Mapping
from ctypes import Structure, c_bool, c_float, c_int32, c_size_t, c_uint32, c_void_p, sizeof
from dataclasses import dataclass

PROBE_BYTES = 512  # larger than any known parameter struct: the library writes only its own size


class AbiError(Exception):
    """The loaded library has none of the known layouts; the message says what was read."""


class _ModelParams72(Structure):
    _fields_ = [
        ("devices", c_void_p),
        ("tensor_buft_overrides", c_void_p),
        ("n_gpu_layers", c_int32),
        ("split_mode", c_int32),
        ("load_mode", c_int32),
        ("main_gpu", c_int32),
        ("tensor_split", c_void_p),
        ("progress_callback", c_void_p),
        ("progress_callback_user_data", c_void_p),
        ("kv_overrides", c_void_p),
        ("vocab_only", c_bool),
        ("check_tensors", c_bool),
        ("use_extra_bufts", c_bool),
        ("no_host", c_bool),
        ("no_alloc", c_bool),
        ("load_mtp", c_bool),
    ]


class _ModelParams80(Structure):
    _fields_ = [
        *_ModelParams72._fields_[:5],
        ("lazy_mode", c_int32),
        *_ModelParams72._fields_[5:],
    ]


class _ContextParams160(Structure):
    _fields_ = [
        ("n_ctx", c_uint32),
        ("n_batch", c_uint32),
        ("n_ubatch", c_uint32),
        ("n_seq_max", c_uint32),
        ("n_rs_seq", c_uint32),
        ("n_outputs_max", c_uint32),
        ("n_outputs_max_per_seq", c_uint32),
        ("n_threads", c_int32),
        ("n_threads_batch", c_int32),
        ("ctx_type", c_int32),
        ("rope_scaling_type", c_int32),
        ("pooling_type", c_int32),
        ("attention_type", c_int32),
        ("flash_attn_type", c_int32),
        ("rope_freq_base", c_float),
        ("rope_freq_scale", c_float),
        ("yarn_ext_factor", c_float),
        ("yarn_attn_factor", c_float),
        ("yarn_beta_fast", c_float),
        ("yarn_beta_slow", c_float),
        ("yarn_orig_ctx", c_uint32),
        ("defrag_thold", c_float),
        ("cb_eval", c_void_p),
        ("cb_eval_user_data", c_void_p),
        ("type_k", c_int32),
        ("type_v", c_int32),
        ("abort_callback", c_void_p),
        ("abort_callback_data", c_void_p),
        ("embeddings", c_bool),
        ("offload_kqv", c_bool),
        ("no_perf", c_bool),
        ("op_offload", c_bool),
        ("swa_full", c_bool),
        ("kv_unified", c_bool),
        ("samplers", c_void_p),
        ("n_samplers", c_size_t),
        ("ctx_other", c_void_p),
    ]


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
    Layout("b10429 to b10435", _ModelParams72, _ContextParams160, _MODEL_DEFAULTS),
    Layout("v0.5.0, b11434", _ModelParams80, _ContextParams160, {**_MODEL_DEFAULTS, "lazy_mode": 1}),
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
            f"llama_model_default_params reads {_words(model_defaults, sizeof(_ModelParams80))}, "
            f"llama_context_default_params reads {_words(context_defaults, sizeof(_ContextParams160))}"
        )
    return fitting[0]


def _fits(kind: type[Structure], raw: bytes, defaults: Mapping[str, int]) -> bool:
    values = kind.from_buffer_copy(raw)
    return all(getattr(values, name) == value for name, value in defaults.items())


def _words(raw: bytes, size: int) -> str:
    return "[" + " ".join(map(str, struct.unpack_from(f"<{size // 4}i", raw))) + "]"
