"""The model data of a container definition, fetched as SageMaker does: an archive, or every object under a prefix."""

from pathlib import Path
from typing import Any

import boto3

from local_aws.emulator import model_archive, model_prefix


def fetch(session: boto3.Session, definition: dict[str, Any], folder: Path) -> None:
    """Put the model data of a container definition into a folder; a container may get its model by itself.

    Raises:
        ArchiveRefusedError: The data is of a type that is not known here, or an archive is not what it must be.
    """
    if "ModelDataUrl" in definition:
        model_archive.unpack(session, definition["ModelDataUrl"], folder)
    elif source := definition.get("ModelDataSource", {}).get("S3DataSource"):
        kind = (source["S3DataType"], source["CompressionType"])
        if kind != ("S3Prefix", "None"):
            raise model_archive.ArchiveRefusedError(f"model data of type {' and compression '.join(kind)}")
        model_prefix.fetch(session, source["S3Uri"], folder)
