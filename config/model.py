"""The model pin: which GGUF, from where, and what it must prove."""

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from config.feasible_size import Packaging, broken_bound
from config.rules import broken
from config.values import (
    GgufFile,
    HubRepository,
    LicenseId,
    ModelName,
    PositiveInt,
    Revision,
    S3Uri,
    SecretArn,
    Sha256,
    Table,
)

MODEL_MANIFEST = "model-manifest.json"
# How the model is handed out is not what it is: none of this is in the manifest, whose digest is part of the key.
_NO_CONTENT: Mapping[str, bool | set[str]] = {"packaging": True, "source": {"token_secret_arn"}}


class HuggingFaceSource(Table):
    """A commit of a repository on the Hugging Face hub, and the secret that holds a token if it asks for one."""

    kind: Literal["huggingface"]
    repository: HubRepository
    revision: Revision
    token_secret_arn: SecretArn | None = None


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
    """One GGUF by content; sizes in bytes. A packaging is an archive, or the files as they are."""

    name: ModelName
    file: GgufFile
    bytes: PositiveInt
    sha256: Sha256
    known_prompt_sha256: Sha256
    template_sha256: Sha256 | None = None
    license: LicenseId | None = None
    packaging: Packaging = "archive"
    source: Annotated[HuggingFaceSource | S3Source, Field(discriminator="kind")]
    tokenizer: TokenizerPin | None = None

    @model_validator(mode="after")
    def _can_be_published_and_verified(self) -> Self:
        if rule := broken_bound(self.bytes, self.packaging):
            raise broken("bytes", rule)
        return self

    @cached_property
    def manifest(self) -> str:
        """What is published of the pin, in the model-manifest.json: canonical JSON, whose digest is in the key."""
        content = {"schema_version": 2, **self.model_dump(exclude=dict(_NO_CONTENT))}
        if self.license is None:
            del content["license"]
        return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @cached_property
    def manifest_sha256(self) -> str:
        """SHA-256 of the manifest's UTF-8 bytes, lower-case hexadecimal."""
        return hashlib.sha256(self.manifest.encode()).hexdigest()

    @property
    def object_key(self) -> str:
        """The object that is there only once the model is published, made of content and packaging alone."""
        form = "model.tar.gz" if self.packaging == "archive" else f"model/{self.file}"
        return f"{self._folder}{form}"

    @property
    def served_keys(self) -> tuple[str, ...]:
        """All objects that a container's model data is made of."""
        archive = self.packaging == "archive"
        return (self.object_key,) if archive else (self.object_key, f"{self.served_prefix}{MODEL_MANIFEST}")

    @property
    def served_prefix(self) -> str:
        """What the keys of files served as they are begin with, and no other key does."""
        return f"{self._folder}model/"

    @property
    def side_copy_key(self) -> str:
        """The record of the publication, beside what is served."""
        return f"{self._folder}{MODEL_MANIFEST}"

    @property
    def _folder(self) -> str:
        packaging = "" if self.packaging == "archive" else f"{self.packaging}/"
        return f"models/{self.sha256}/{self.manifest_sha256}/{packaging}"
