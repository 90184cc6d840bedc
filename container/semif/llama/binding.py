"""libllama's functions with their C types; the only place where the library is loaded.

`ctypes.CDLL` releases the interpreter lock during every call, so the HTTP side stays responsive
while a decode runs.
"""

import hashlib
import os
from ctypes import CDLL, RTLD_GLOBAL, Structure, byref, c_char_p, c_size_t, c_uint8, c_void_p
from pathlib import Path

from semif.llama.abi import PROBE_BYTES, AbiError, choose_layout
from semif.llama.log import LogCapture
from semif.llama.prototypes import GGML, LLAMA, Prototypes

GPU_TYPES = (1, 2)  # GGML_BACKEND_DEVICE_TYPE_GPU and _IGPU


class _Probe(Structure):
    _fields_ = [("raw", c_uint8 * PROBE_BYTES)]


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
        _declare(self.c, LLAMA)
        _declare(self._ggml, GGML)
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

    def gpu_memory(self) -> int | None:
        """Free bytes on all GPUs together, or None if there is none."""
        found = []
        for index in range(self._ggml.ggml_backend_dev_count()):
            device = self._ggml.ggml_backend_dev_get(index)
            if self._ggml.ggml_backend_dev_type(device) in GPU_TYPES:
                free, total = c_size_t(), c_size_t()
                self._ggml.ggml_backend_dev_memory(device, byref(free), byref(total))
                found.append(free.value)
        return sum(found) if found else None

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


def _declare(library: CDLL, prototypes: Prototypes) -> None:
    for name, (result, arguments) in prototypes.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise AbiError(f"this libllama has no function {name}") from None
        function.restype, function.argtypes = result, arguments


def _defaults(library: CDLL, kind: str) -> bytes:
    try:
        function = getattr(library, f"llama_{kind}_default_params")
    except AttributeError:
        raise AbiError(f"this libllama has no function llama_{kind}_default_params") from None
    function.argtypes, function.restype = [], _Probe
    return bytes(function().raw)
