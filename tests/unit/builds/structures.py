"""What a GGUF's bytes say of themselves, read in this process: quicker than in one of its own, else the same."""

import resource
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import gguf_reading
from gguf_structure import Structure, structure_of

ROOM_BYTES = 96 << 20
"""What one reading may add to this process; a changed count can make the package ask for any memory."""


def structure(content: bytes) -> Structure:
    """Read a GGUF.

    Raises:
        gguf_reading.RefusedError: It is none that could be served, or asks for more memory than these tests give.
    """
    with tempfile.NamedTemporaryFile(suffix=".gguf") as file:
        file.write(content)
        file.flush()
        with _bounded():
            try:
                return structure_of(gguf_reading.read(Path(file.name)))
            except MemoryError:
                pass  # only behind this block is free what the package had read
    raise gguf_reading.RefusedError("its header takes too much memory.")


@contextmanager
def _bounded() -> Iterator[None]:
    status = Path("/proc/self/status").read_text().splitlines()
    used = next(int(line.split()[1]) << 10 for line in status if line.startswith("VmData:"))
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (used + ROOM_BYTES, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
