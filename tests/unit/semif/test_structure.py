"""Which module may do what, read from the imports."""

import ast
import hashlib
from pathlib import Path

import numpy as np

from semif.gguf_writer import gguf_bytes
from semif.tiny_model import tiny_hybrid

PACKAGE = Path(__file__).parents[3] / "container" / "semif"


def importers(module: str) -> set[str]:
    """Files of the package that import a top-level module."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] == module for name in names):
                found.add(path.relative_to(PACKAGE).as_posix())
    return found


def test_only_the_llama_folder_knows_ctypes() -> None:
    """Foreign functions are called from `llama/` alone."""
    assert {Path(name).parts[0] for name in importers("ctypes")} == {"llama"}


def test_only_the_wire_reads_json() -> None:
    """JSON text is parsed in `wire/` alone."""
    texts = {path: path.read_text() for path in PACKAGE.rglob("*.py")}
    readers = {path.parent.name for path, text in texts.items() if "json.loads" in text or "json.load(" in text}

    assert readers == {"wire"}


def test_http_stays_in_the_served_process() -> None:
    """The ASGI server is known to the served process and its connections; no route imports it."""
    assert importers("uvicorn") == {"connection.py", "serving.py"}


def test_tiny_hybrid_is_the_same_bytes_everywhere() -> None:
    """The golden decision's model is these bytes, whatever the numpy."""
    digest = hashlib.sha256(tiny_hybrid()).hexdigest()

    assert digest == "51128b2da6ca19a624d9c3dfdd6de89a5bf8874e42a83418a5a0c2e292e5bcb6"


def test_gguf_header_counts_what_follows() -> None:
    """Magic, version and counts stand where the format wants them, and the file is aligned."""
    raw = gguf_bytes({"a": "b", "c": [1, 2]}, {"t": np.zeros((2, 3), dtype=np.float32)})

    assert raw[:8] == b"GGUF\x03\x00\x00\x00"
    assert raw[8:24] == (1).to_bytes(8, "little") + (2).to_bytes(8, "little")
    assert len(raw) % 32 == 0
