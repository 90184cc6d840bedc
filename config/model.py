"""The model pin: which GGUF, from where, and what it must prove."""

import hashlib
import json
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from config.values import GgufFile, HubRepository, ModelName, PositiveInt, Revision, S3Uri, Sha256, Table


class HuggingFaceSource(Table):
    """A commit of a repository on the Hugging Face hub."""

    kind: Literal["huggingface"]
    repository: HubRepository
    revision: Revision


class S3Source(Table):
    """An object in a bucket that the packaging build may read."""

    kind: Literal["s3"]
    uri: S3Uri

    @property
    def bucket(self) -> str:
        """The bucket's name."""
        return self.uri.removeprefix("s3://").partition("/")[0]

    @property
    def key(self) -> str:
        """The object's key."""
        return self.uri.removeprefix("s3://").partition("/")[2]


class TokenizerPin(Table):
    """The tokenizer the GGUF was made with, named in answers."""

    repository: HubRepository
    revision: Revision


class ModelPin(Table):
    """One GGUF by content; sizes in bytes."""

    name: ModelName
    file: GgufFile
    bytes: PositiveInt
    sha256: Sha256
    known_prompt_sha256: Sha256
    template_sha256: Sha256 | None = None
    source: Annotated[HuggingFaceSource | S3Source, Field(discriminator="kind")]
    tokenizer: TokenizerPin | None = None

    @cached_property
    def manifest(self) -> str:
        """The manifest.json of the model archive: canonical JSON, since its digest is part of the identity."""
        content = {"schema_version": 1, **self.model_dump()}
        return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @cached_property
    def manifest_sha256(self) -> str:
        """SHA-256 of the manifest's UTF-8 bytes, lower-case hexadecimal."""
        return hashlib.sha256(self.manifest.encode()).hexdigest()

    @property
    def object_key(self) -> str:
        """Where the model archive is published, made of content alone."""
        return f"models/{self.sha256}/{self.manifest_sha256}/model.tar.gz"
