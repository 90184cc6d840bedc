"""The model pin: which GGUF, from where, and what it must prove."""

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Self

from pydantic import Field, model_validator

from config.feasible_size import Packaging, broken_bound
from config.model_source import HuggingFaceSource, S3Source, TokenizerPin
from config.rules import broken
from config.split_set import ModelPart, broken_set
from config.values import GgufPartFile, LicenseId, ModelName, PositiveInt, Sha256, Table

MODEL_MANIFEST = "model-manifest.json"
# How the model is handed out is not what it is: none of this is in the manifest, whose digest is part of the key.
_NO_CONTENT: Mapping[str, bool | set[str]] = {"packaging": True, "source": {"token_secret_arn"}}


class ModelPin(Table):
    """One GGUF by content, or the first file of a split one and the parts behind it; sizes in bytes.

    A packaging is an archive, or the files as they are.
    """

    name: ModelName
    file: GgufPartFile
    bytes: PositiveInt
    sha256: Sha256
    known_prompt_sha256: Sha256
    template_sha256: Sha256 | None = None
    license: LicenseId | None = None
    packaging: Packaging = "archive"
    source: Annotated[HuggingFaceSource | S3Source, Field(discriminator="kind")]
    tokenizer: TokenizerPin | None = None
    parts: Annotated[tuple[ModelPart, ...], Field(strict=False)] = ()

    @model_validator(mode="after")
    def _is_one_whole_model(self) -> Self:
        if found := broken_set(self.file, self.sha256, self.parts):
            raise broken(*found)
        if self.parts and isinstance(self.source, S3Source) and self.source.key.rpartition("/")[2] != self.file:
            # Else nobody could say where the other parts lie.
            raise broken("source.uri", f"of a GGUF in several files must end in the first one's name, {self.file}")
        return self

    @model_validator(mode="after")
    def _can_be_published_and_verified(self) -> Self:
        largest = max(file.bytes for file in self.files)
        if rule := broken_bound(self.total_bytes, self.packaging, largest):
            raise broken("bytes", rule)
        return self

    @property
    def files(self) -> tuple[ModelPart, ...]:
        """The GGUF, or the parts of a split one in their order."""
        return ModelPart(file=self.file, bytes=self.bytes, sha256=self.sha256), *self.parts

    @property
    def total_bytes(self) -> int:
        """Bytes of all files."""
        return sum(file.bytes for file in self.files)

    @property
    def further_parts(self) -> str:
        """Sizes and digests of the parts behind the first file, as handlers and container take them; empty for none."""
        return ",".join(f"{part.bytes}:{part.sha256}" for part in self.parts)

    @cached_property
    def manifest(self) -> str:
        """What is published of the pin, in the model-manifest.json: canonical JSON, whose digest is in the key."""
        content = {"schema_version": 2, **self.model_dump(exclude=dict(_NO_CONTENT))}
        # What came later is there where it is given, so that the others keep their keys.
        for table, key in ((content, "license"), (content, "parts"), (content["source"], "folder")):
            if not table.get(key):
                table.pop(key, None)
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
        if self.packaging == "archive":
            return (self.object_key,)
        beside = (MODEL_MANIFEST, *(part.file for part in self.parts))
        return (self.object_key, *(f"{self.served_prefix}{name}" for name in beside))

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
