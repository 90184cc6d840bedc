"""How much the start takes beyond what no start can avoid: reading the weights and hashing them."""

import hashlib
import time
from pathlib import Path

from benchmarks.interval import bootstrap
from benchmarks.loaded_model import LoadedModel, library
from benchmarks.rounds import Rounds
from benchmarks.rows import Comparison, Row
from benchmarks.served_model import served
from semif.llama.model import LlamaModel

BEYOND_SECONDS = 0.7


def measure(loaded: LoadedModel, environment: dict[str, str], log: Path, rounds: Rounds) -> Row:
    """Starts the container, loads the model and hashes its file, in turn; the file is in the page cache for all."""
    starts, least, beyond = [], [], []
    for _ in rounds:
        began = time.perf_counter()
        with served(loaded, environment, log) as ours:
            ours.wait_until_healthy()
            starts.append(time.perf_counter() - began)
        least.append(max(_load_seconds(loaded), _hash_seconds(loaded.file.path)))
        beyond.append(starts[-1] - least[-1])
    comparison = Comparison("nothing", "s", bootstrap(beyond), BEYOND_SECONDS)
    return Row(
        loaded.file.name,
        "start: exec to /ping 200",
        {"s": bootstrap(starts).median},
        None,
        {"s": bootstrap(least).median},
        (comparison,),
        "floor: the longer of loading (every tensor checked) and hashing, each alone; the figure is what lies beyond",
    )


def _load_seconds(loaded: LoadedModel) -> float:
    began = time.perf_counter()
    model = LlamaModel(library(), loaded.file.path, n_gpu_layers=0)
    seconds = time.perf_counter() - began
    model.close()
    return seconds


def _hash_seconds(path: Path) -> float:
    began = time.perf_counter()
    with path.open("rb") as file:
        hashlib.file_digest(file, "sha256")
    return time.perf_counter() - began
