"""How fast verify_model reads an archive, and in how much memory: `python -m benchmarks.verify_model [--megabytes N]`.

Each round runs, in fresh processes and in turn, the handler over an archive of incompressible data in a file and a
plain sha256 of the same file, which is the floor of any verification. Printed are megabytes (10^6 bytes) of archive a
second and the peak resident memory above what the process had after its imports.
"""

import argparse
import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

HANDLERS = Path(__file__).parents[1] / "handlers"
BUILD = Path(__file__).parents[1] / "builds" / "model_package"
GOAL_MEGABYTES_A_SECOND, GOAL_MEBIBYTES = 250, 32


class FileStore:
    """One archive as S3 would give it, read with plain system calls."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def get_object(self, *, Bucket: str, Key: str) -> Mapping[str, object]:  # noqa: ARG002, N803 - S3's own spelling
        """Open the archive, whatever its name."""
        return {"Body": self._path.open("rb", buffering=0), "ContentLength": self._path.stat().st_size}

    def head_object(self, **_: str) -> Mapping[str, object]:
        """Refuse: an archive is read."""
        raise NotImplementedError

    def list_objects_v2(self, **_: str) -> Mapping[str, object]:
        """Refuse: an archive is one object."""
        raise NotImplementedError


def make_archive(folder: Path, megabytes: int) -> None:
    """Write an archive by the build's own code, and beside it the properties that pin it."""
    sys.path.insert(0, str(BUILD))
    import model_manifest  # noqa: PLC0415 - a deployed folder, an import root of its own
    from archive import archive  # noqa: PLC0415
    from model_pin import ModelPin, PinnedFile, StoredObject  # noqa: PLC0415

    gguf, size = folder / "model.gguf", megabytes * 1_000_000
    with gguf.open("wb") as file:
        file.write(b"GGUF")
        for _ in range(0, size, 1 << 20):
            file.write(os.urandom(min(1 << 20, size - file.tell())))
    with gguf.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    fields = {"file": gguf.name, "bytes": size, "sha256": sha256}
    manifest = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
    pinned = PinnedFile(gguf.name, size, sha256)
    pin = ModelPin((pinned,), manifest, StoredObject("b", "k"), "artifacts", "models/k")
    with gguf.open("rb") as file, (folder / "model.tar.gz").open("wb") as target:
        target.writelines(archive([(pinned, file)], model_manifest.inside(pin, {})))
    gguf.unlink()
    properties = {
        "Bucket": pin.bucket,
        "Key": pin.key,
        "Packaging": "archive",
        "GgufFile": pinned.name,
        "GgufBytes": str(size),
        "GgufSha256": sha256,
        "FurtherParts": "",
        "ManifestSha256": pin.manifest_sha256,
        "HandlerVersion": "benchmark",
    }
    (folder / "properties.json").write_text(json.dumps(properties))


def peak_bytes() -> int:
    """Return the most resident memory this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(method: str, folder: Path) -> None:
    """Read the archive once by one method and print seconds and bytes of memory as JSON."""
    archive = folder / "model.tar.gz"
    if method == "verify_model":
        sys.path.insert(0, str(HANDLERS))
        import verify_model  # noqa: PLC0415 - a deployed folder, an import root of its own

        properties = json.loads((folder / "properties.json").read_text())
        event = {"RequestType": "Create", "LogicalResourceId": "Benchmark", "ResourceProperties": properties}
        before, started = peak_bytes(), time.perf_counter()
        verify_model.on_event(event, None, lambda: FileStore(archive))
    else:
        before, started = peak_bytes(), time.perf_counter()
        with archive.open("rb", buffering=0) as file:
            _hash(file)
    print(json.dumps({"seconds": time.perf_counter() - started, "memory": peak_bytes() - before}))


def _hash(file: BinaryIO | object) -> str:
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type] # a raw file is enough


def run(folder: Path, rounds: int) -> dict[str, list[dict[str, float]]]:
    """Measure both methods in turn, each in a process of its own."""
    results: dict[str, list[dict[str, float]]] = {"verify_model": [], "sha256": []}
    for _ in range(rounds):
        for method, measured in results.items():
            command = [sys.executable, "-m", "benchmarks.verify_model", "--measure", method, "--folder", str(folder)]
            measured.append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))
    return results


def print_table(results: Mapping[str, list[dict[str, float]]], archive_bytes: int) -> None:
    """Print both methods side by side, with spread, ratio and goal."""
    speeds = {name: [archive_bytes / 1e6 / one["seconds"] for one in runs] for name, runs in results.items()}
    print(f"archive: {archive_bytes / 1e6:.0f} MB of incompressible data, {len(speeds['sha256'])} interleaved rounds")
    print(f"{'':14}{'MB/s median':>12}{'min':>7}{'max':>7}{'MiB above imports':>20}")
    for name, runs in results.items():
        memory = max(one["memory"] for one in runs) / 2**20
        low, high = min(speeds[name]), max(speeds[name])
        print(f"{name:14}{statistics.median(speeds[name]):12.0f}{low:7.0f}{high:7.0f}{memory:20.1f}")
    ratios = [ours / floor for ours, floor in zip(speeds["verify_model"], speeds["sha256"], strict=True)]
    print(f"ratio to sha256: median {statistics.median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}")
    print(f"goal: at least {GOAL_MEGABYTES_A_SECOND} MB/s in at most {GOAL_MEBIBYTES} MiB above imports")


def main() -> None:
    """Make an archive, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        measure(given.measure, given.folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        make_archive(Path(folder), given.megabytes)
        print_table(run(Path(folder), given.rounds), (Path(folder) / "model.tar.gz").stat().st_size)


if __name__ == "__main__":
    main()
