"""One packaging of a model once, stage by stage: built, verified, fetched and started, each with its seconds."""

import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import boto3

from benchmarks.checkout import BUILD, ROOT
from benchmarks.loaded_model import LoadedModel
from benchmarks.served_model import served
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
