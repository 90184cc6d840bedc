"""Both packagings of the demo model, from its source to /ping: `python -m benchmarks.packaging [--rounds N]`.

In turn, for each packaging: the build's own script as a process, the verification's handler, what SageMaker does
with the model data (here by the embedded AWS's own code), and the start of the decision container. All of them talk to
an S3 on loopback that keeps its objects in memory: bytes cost processor time alone, no network is measured.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import boto3

from benchmarks.checkout import BUILD, ROOT
from benchmarks.loaded_model import LoadedModel, load
from benchmarks.models import smollm2
from benchmarks.object_store import object_store
from benchmarks.served_model import served
from config import loader
from config.feasible_size import Packaging
from config.model import ModelPin
from config.model_source import S3Source
from local_aws.emulator import model_archive, model_prefix

BUCKET = "benchmark-artifacts"
SCRIPT = ROOT / "builds" / "model_package" / "package_model.py"
sys.path.insert(0, str(ROOT / "handlers"))


@dataclass(frozen=True)
class Round:
    """One packaging once; seconds."""

    build: float
    stored_bytes: int
    verification: float
    proof: str
    fetch: float
    start: float

    @property
    def create_to_ping(self) -> float:
        """What an instance needs from its creation to its first answer, beside being provisioned."""
        return self.fetch + self.start


def measure(pin: ModelPin, loaded: LoadedModel, environment: dict[str, str]) -> Round:
    """Publish, verify, fetch and serve the pin once; the bucket is emptied first."""
    s3 = boto3.client("s3")
    for each in s3.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        s3.delete_object(Bucket=BUCKET, Key=each["Key"])
    began = time.perf_counter()
    subprocess.run([sys.executable, SCRIPT], env=environment | _variables(pin), check=True, stdout=subprocess.DEVNULL)
    build = time.perf_counter() - began
    stored = sum(each["Size"] for each in s3.list_objects_v2(Bucket=BUCKET)["Contents"])
    began = time.perf_counter()
    data = _verified(pin)
    verification = time.perf_counter() - began
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "model"
        began = time.perf_counter()
        get = model_archive.unpack if pin.packaging == "archive" else model_prefix.fetch
        get(boto3.Session(), data["ModelDataUrl"], folder)
        fetch = time.perf_counter() - began
        there = replace(loaded, file=replace(loaded.file, path=folder / pin.file))
        began = time.perf_counter()
        with served(there, {"SEMIF_THREADS": "1"}, BUILD / "bench" / f"{pin.packaging}.log") as container:
            container.wait_until_healthy()
            start = time.perf_counter() - began
    return Round(build, stored, verification, data["Proof"], fetch, start)


def _variables(pin: ModelPin) -> dict[str, str]:
    assert isinstance(pin.source, S3Source)
    return {
        "MODEL_FILE": pin.file,
        "MODEL_BYTES": str(pin.bytes),
        "MODEL_SHA256": pin.sha256,
        "MODEL_PACKAGING": pin.packaging,
        "MODEL_SOURCE_KIND": pin.source.kind,
        "MODEL_SOURCE_URI": pin.source.uri,
        "MANIFEST": pin.manifest,
        "ARTIFACT_BUCKET": BUCKET,
        "ARTIFACT_KEY": pin.object_key,
    }


def _verified(pin: ModelPin) -> dict[str, Any]:
    import verify_model  # noqa: PLC0415 - a deployed folder, an import root of its own

    properties = {
        "Bucket": BUCKET,
        "Key": pin.object_key,
        "Packaging": pin.packaging,
        "GgufFile": pin.file,
        "GgufBytes": str(pin.bytes),
        "GgufSha256": pin.sha256,
        "FurtherParts": pin.further_parts,
        "ManifestSha256": pin.manifest_sha256,
        "HandlerVersion": "benchmark",
    }
    event = {"RequestType": "Create", "LogicalResourceId": "Benchmark", "ResourceProperties": properties}
    data = verify_model.on_event(event, None)["Data"]
    assert isinstance(data, dict)
    return data


def print_table(pin: ModelPin, rounds: dict[Packaging, list[Round]]) -> None:
    """Print medians with their spread, one line a figure."""
    names = list(rounds)
    print(f"{pin.file}, {pin.bytes} bytes; {len(rounds[names[0]])} rounds in turn; median (least to most)")
    print(f"{'':34}" + "".join(f"{name:>26}" for name in names))
    figures = {
        "build, seconds": "build",
        "verification, seconds": "verification",
        "fetch by the endpoint, seconds": "fetch",
        "start to /ping, seconds": "start",
        "create to /ping, seconds": "create_to_ping",
    }
    for title, field in figures.items():
        print(
            f"{title:34}" + "".join(f"{_spread([getattr(one, field) for one in rounds[name]]):>26}" for name in names)
        )
    print(f"{'stored, bytes':34}" + "".join(f"{rounds[name][0].stored_bytes:>26}" for name in names))
    for name in names:
        print(f"proof of {name}: {rounds[name][0].proof}")


def _spread(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def main() -> None:
    """Measure both packagings in turn and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    pin, loaded = loader.load("local").model, load(smollm2())
    assert isinstance(pin.source, S3Source)
    loaded.model.close()
    with object_store() as environment:
        os.environ.update({name: value for name, value in environment.items() if name.startswith("AWS_")})
        s3 = boto3.client("s3")
        for bucket in (BUCKET, pin.source.bucket):
            s3.create_bucket(Bucket=bucket)
        s3.upload_file(str(loaded.file.path), pin.source.bucket, pin.source.key)
        rounds: dict[Packaging, list[Round]] = {name: [] for name in get_args(Packaging)}
        for _ in range(given.rounds):
            for name, measured in rounds.items():
                measured.append(measure(pin.model_copy(update={"packaging": name}), loaded, environment))
    print_table(pin, rounds)


if __name__ == "__main__":
    main()
