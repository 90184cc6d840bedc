"""Fetch the pinned GGUF, prove that it is the pinned one and whole, and publish it as the last act.

Run by the buildspec beside this file. Everything it needs stands in the project's environment, see model_pin.
Ends with 0 when the model is under its key, with 1 and a report in the bucket when it is not.
"""

import os
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import boto3

from archive import Fetched
from build_report import builder_of, report
from download import Patience, Source, download
from feasibility import check_feasible
from gguf_description import describe
from gguf_structure import check_structure
from model_pin import HubFile, ModelPin, PackagingError, StoredObject
from object_store import ObjectStore
from project_environment import read_pin
from publish import BeingWrittenError
from published_model import PublishedModel
from sources import HubSource, ObjectReader, ObjectSource
from token_secret import Secrets, hub_token

CONFLICT_PAUSES_SECONDS = (10, 30, 60)
"""While somebody else completes the same key: afterwards it is there, and that is success."""
NOBODY: Mapping[str, str] = {}


class Store(ObjectReader, ObjectStore, Protocol):
    """The S3 calls of fetching and publishing."""


Place = HubFile | StoredObject


def package(
    pin: ModelPin,
    source_at: Callable[[Place], Source],
    store: ObjectStore,
    folder: Path,
    patience: Patience,
    *,
    builder: Mapping[str, str] = NOBODY,
) -> str:
    """Fetch, prove and publish one model; return one sentence about it.

    Args:
        pin: The model.
        source_at: Opens a place that a file of it comes from.
        store: Where it is published.
        folder: Where it is kept meanwhile.
        patience: For everything that is fetched together.
        builder: Who publishes.

    Raises:
        PackagingError: It is not the pinned model, not whole, or none that can be served; nothing was published.
    """
    check_feasible(pin, folder, patience.seconds)
    deadline = patience.clock() + patience.seconds
    with ExitStack() as open_files:
        fetched: Fetched = [(file, open_files.enter_context((folder / file.name).open("w+b"))) for file in pin.files]
        for pinned, target in fetched:
            source = source_at(pin.source if pinned is pin.files[0] else pin.source.beside(pinned.name))
            print(f"Fetching {source} ({pinned.size} bytes)", flush=True)  # noqa: T201 - the build's log is its output
            download(source, target, pinned, patience, deadline)
            target.flush()
        summary = describe([check_structure(folder / file.name, file.name) for file in pin.files])
        model = PublishedModel(pin, summary, store, builder)
        written = _publish(model, fetched, patience)
    where = model.destination
    return f"{where} {'is published' if written else 'was published before and is left as it is'}."


def _publish(model: PublishedModel, fetched: Fetched, patience: Patience) -> bool:
    for pause in CONFLICT_PAUSES_SECONDS:
        try:
            return model.publish(fetched)
        except BeingWrittenError as error:
            print(f"{error} Trying again in {pause} s.", flush=True)  # noqa: T201 - as above
            patience.sleep(pause)
    return model.publish(fetched)


def sources(pin: ModelPin, store: ObjectReader, secrets: Secrets) -> Callable[[Place], Source]:
    """Return what opens the places that the pin names.

    Raises:
        PackagingError: The hub's token cannot be read.
    """
    token = hub_token(pin.token_secret, secrets) if pin.token_secret and isinstance(pin.source, HubFile) else None
    return lambda place: HubSource(place, token=token) if isinstance(place, HubFile) else ObjectSource(place, store)


def main() -> int:
    """Package the model that the environment names."""
    # A stopped build gets SIGTERM; as an exception it takes the parts of an unfinished upload along.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    store = boto3.client("s3")
    try:
        pin = read_pin(os.environ)
        with tempfile.TemporaryDirectory(prefix="model-package-") as folder:
            source_at = sources(pin, store, boto3.client("secretsmanager"))
            sentence = package(pin, source_at, store, Path(folder), Patience(), builder=builder_of(os.environ))
    except PackagingError as error:
        report(store, os.environ, "failed", str(error))
        return 1
    except Exception as error:
        report(store, os.environ, "failed", f"{type(error).__name__}: {error}")
        raise
    report(store, os.environ, "succeeded", sentence)
    return 0


if __name__ == "__main__":
    sys.exit(main())
