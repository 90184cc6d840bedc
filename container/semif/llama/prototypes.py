"""C types of the functions this binding calls: the same in every build of `abi.LAYOUTS`."""

from ctypes import (
    POINTER,
    Structure,
    c_bool,
    c_char,
    c_char_p,
    c_float,
    c_int,
    c_int8,
    c_int32,
    c_size_t,
    c_uint32,
    c_void_p,
)

Prototypes = dict[str, tuple[object, list[object]]]  # function name to result type and argument types


class Batch(Structure):
    """`struct llama_batch`: parallel arrays of length `n_tokens`."""

    _fields_ = [
        ("n_tokens", c_int32),
        ("token", POINTER(c_int32)),
        ("embd", POINTER(c_float)),
        ("pos", POINTER(c_int32)),
        ("n_seq_id", POINTER(c_int32)),
        ("seq_id", POINTER(POINTER(c_int32))),
        ("logits", POINTER(c_int8)),
    ]


_P = c_void_p
LLAMA: Prototypes = {
    "llama_backend_init": (None, []),
    "llama_version": (c_char_p, []),
    "llama_model_free": (None, [_P]),
    "llama_model_get_vocab": (_P, [_P]),
    "llama_model_chat_template": (c_char_p, [_P, c_char_p]),
    "llama_model_n_layer": (c_int32, [_P]),
    "llama_model_n_ctx_train": (c_int32, [_P]),
    "llama_model_has_encoder": (c_bool, [_P]),
    "llama_model_is_hybrid": (c_bool, [_P]),
    "llama_model_is_recurrent": (c_bool, [_P]),
    "llama_model_meta_val_str": (c_int32, [_P, c_char_p, POINTER(c_char), c_size_t]),
    "llama_free": (None, [_P]),
    "llama_n_ctx": (c_uint32, [_P]),
    "llama_n_ctx_seq": (c_uint32, [_P]),
    "llama_n_seq_max": (c_uint32, [_P]),
    "llama_n_batch": (c_uint32, [_P]),
    "llama_n_ubatch": (c_uint32, [_P]),
    "llama_n_threads": (c_int32, [_P]),
    "llama_n_threads_batch": (c_int32, [_P]),
    "llama_get_memory": (_P, [_P]),
    "llama_memory_clear": (None, [_P, c_bool]),
    "llama_memory_seq_rm": (c_bool, [_P, c_int32, c_int32, c_int32]),
    "llama_memory_seq_cp": (None, [_P, c_int32, c_int32, c_int32, c_int32]),
    "llama_decode": (c_int32, [_P, Batch]),
    "llama_get_logits_ith": (POINTER(c_float), [_P, c_int32]),
    "llama_vocab_n_tokens": (c_int32, [_P]),
    "llama_vocab_get_text": (c_char_p, [_P, c_int32]),
    "llama_vocab_get_attr": (c_int, [_P, c_int32]),
    "llama_vocab_bos": (c_int32, [_P]),
    "llama_vocab_eos": (c_int32, [_P]),
    "llama_vocab_get_add_bos": (c_bool, [_P]),
    "llama_tokenize": (c_int32, [_P, c_char_p, c_int32, POINTER(c_int32), c_int32, c_bool, c_bool]),
    "llama_token_to_piece": (c_int32, [_P, c_int32, POINTER(c_char), c_int32, c_int32, c_bool]),
}
GGML: Prototypes = {
    "ggml_backend_load_all_from_path": (None, [c_char_p]),
    "ggml_backend_reg_by_name": (_P, [c_char_p]),
    "ggml_backend_reg_name": (c_char_p, [_P]),
    "ggml_backend_dev_count": (c_size_t, []),
    "ggml_backend_dev_get": (_P, [c_size_t]),
    "ggml_backend_dev_type": (c_int, [_P]),
    "ggml_backend_dev_memory": (None, [_P, POINTER(c_size_t), POINTER(c_size_t)]),
    "ggml_backend_dev_name": (c_char_p, [_P]),
    "ggml_backend_dev_description": (c_char_p, [_P]),
    "ggml_backend_dev_backend_reg": (_P, [_P]),
}
