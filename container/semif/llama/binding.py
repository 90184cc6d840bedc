"""libllama's functions with their C types; the only place where the library is loaded.

`ctypes.CDLL` releases the interpreter lock during every call, so the HTTP side stays responsive
while a decode runs.
"""

import hashlib
import os
from ctypes import (
    CDLL,
    POINTER,
    RTLD_GLOBAL,
    Structure,
    c_bool,
    c_char,
    c_char_p,
    c_float,
    c_int,
    c_int8,
    c_int32,
    c_size_t,
    c_uint8,
    c_uint32,
    c_void_p,
)
from pathlib import Path

from semif.llama.abi import PROBE_BYTES, AbiError, choose_layout
from semif.llama.log import LogCapture

GPU_TYPES = (1, 2)  # GGML_BACKEND_DEVICE_TYPE_GPU and _IGPU


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


class _Probe(Structure):
    _fields_ = [("raw", c_uint8 * PROBE_BYTES)]


_P = c_void_p
_PROTOTYPES: dict[str, tuple[object, list[object]]] = {
    "llama_backend_init": (None, []),
    "llama_version": (c_char_p, []),
    "llama_model_free": (None, [_P]),
    "llama_model_get_vocab": (_P, [_P]),
    "llama_model_chat_template": (c_char_p, [_P, c_char_p]),
    "llama_model_n_layer": (c_int32, [_P]),
    "llama_model_n_ctx_train": (c_int32, [_P]),
    "llama_model_has_encoder": (c_bool, [_P]),
    "llama_model_meta_val_str": (c_int32, [_P, c_char_p, POINTER(c_char), c_size_t]),
    "llama_free": (None, [_P]),
    "llama_n_ctx": (c_uint32, [_P]),
    "llama_n_ctx_seq": (c_uint32, [_P]),
    "llama_n_seq_max": (c_uint32, [_P]),
    "llama_n_batch": (c_uint32, [_P]),
    "llama_n_ubatch": (c_uint32, [_P]),
    "llama_n_threads": (c_int32, [_P]),
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
_GGML_PROTOTYPES: dict[str, tuple[object, list[object]]] = {
    "ggml_backend_load_all_from_path": (None, [c_char_p]),
    "ggml_backend_reg_by_name": (_P, [c_char_p]),
    "ggml_backend_reg_name": (c_char_p, [_P]),
    "ggml_backend_dev_count": (c_size_t, []),
    "ggml_backend_dev_get": (_P, [c_size_t]),
    "ggml_backend_dev_type": (c_int, [_P]),
    "ggml_backend_dev_name": (c_char_p, [_P]),
    "ggml_backend_dev_description": (c_char_p, [_P]),
    "ggml_backend_dev_backend_reg": (_P, [_P]),
}


class Library:
    """A loaded libllama whose layout is known and whose CPU backend is there.

    Attributes:
        c: The functions, typed.
        layout: The parameter structs of this build.
        log: What the library says.
        sha256: Of `libllama.so`, lower-case hex.
    """

    def __init__(self, folder: Path) -> None:
        """Loads `libllama.so` and the backends beside it.

        Raises:
            AbiError: A library or function is missing, the layout is unknown, or no CPU backend loads.
        """
        os.environ.setdefault("GGML_NO_BACKTRACE", "1")  # an assert must end the process at once, without a debugger
        self._ggml_base = _open(folder / "libggml-base.so")
        self._ggml = _open(folder / "libggml.so")
        self.c = _open(folder / "libllama.so")
        self.layout = choose_layout(_defaults(self.c, "model"), _defaults(self.c, "context"))
        _declare(self.c, _PROTOTYPES)
        _declare(self._ggml, _GGML_PROTOTYPES)
        self.sha256 = hashlib.sha256((folder / "libllama.so").read_bytes()).hexdigest()
        self.log = LogCapture(self.c)
        self.c.llama_model_load_from_file.argtypes = [c_char_p, self.layout.model_params]
        self.c.llama_model_load_from_file.restype = c_void_p
        self.c.llama_init_from_model.argtypes = [c_void_p, self.layout.context_params]
        self.c.llama_init_from_model.restype = c_void_p
        for name, kind in (("model", self.layout.model_params), ("context", self.layout.context_params)):
            getattr(self.c, f"llama_{name}_default_params").restype = kind
        self._ggml.ggml_backend_load_all_from_path(os.fsencode(folder))
        self.c.llama_backend_init()
        if not self._ggml.ggml_backend_reg_by_name(b"CPU"):
            raise AbiError(f"no CPU backend for this machine in {folder}")
        self.version = self.c.llama_version().decode()

    def gpu(self) -> tuple[str, str] | None:
        """Backend and device name of the first GPU, or None."""
        for index in range(self._ggml.ggml_backend_dev_count()):
            device = self._ggml.ggml_backend_dev_get(index)
            if self._ggml.ggml_backend_dev_type(device) in GPU_TYPES:
                backend = self._ggml.ggml_backend_reg_name(self._ggml.ggml_backend_dev_backend_reg(device))
                return backend.decode(), self._ggml.ggml_backend_dev_description(device).decode()
        return None

    def cpu_variant(self) -> str:
        """The CPU backend that was chosen for this machine, such as `cpu-haswell`."""
        mapped = {line.rpartition("/")[2].strip() for line in Path("/proc/self/maps").read_text().splitlines()}
        variants = sorted(name for name in mapped if name.startswith("libggml-cpu"))
        return variants[0].removeprefix("libggml-").removesuffix(".so") if variants else "cpu"


def _open(path: Path) -> CDLL:
    try:
        return CDLL(str(path), mode=RTLD_GLOBAL)
    except OSError as error:
        raise AbiError(f"{path.name} does not load: {error}") from error


def _declare(library: CDLL, prototypes: dict[str, tuple[object, list[object]]]) -> None:
    for name, (result, arguments) in prototypes.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise AbiError(f"this libllama has no function {name}") from None
        function.restype, function.argtypes = result, arguments


def _defaults(library: CDLL, kind: str) -> bytes:
    function = getattr(library, f"llama_{kind}_default_params")
    function.argtypes, function.restype = [], _Probe
    return bytes(function().raw)
