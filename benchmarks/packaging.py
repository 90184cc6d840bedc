"""Both packagings of the demo model, from its source to /ping: `python -m benchmarks.packaging [--rounds N]`.

In turn, for each packaging: the build's own script as a process, the verification's handler, what SageMaker does
with the model data (here by the embedded AWS's own code), and the start of the decision container. All of them talk to
an S3 on loopback that keeps its objects in memory: bytes cost processor time alone, no network is measured.
"""

import argparse
import os
import statistics
from typing import get_args

import boto3

from benchmarks.loaded_model import load
from benchmarks.models import smollm2
from benchmarks.object_store import object_store
from benchmarks.packaging_round import BUCKET, Round, measure
from config import loader
from config.feasible_size import Packaging
from config.model import ModelPin
from config.model_source import S3Source


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
