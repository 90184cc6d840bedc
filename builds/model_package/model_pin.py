"""What is published: which files by content, where they come from, and under which key they go."""

import hashlib
from dataclasses import dataclass, replace
from typing import Literal

Packaging = Literal["archive", "uncompressed"]
MODEL_MANIFEST = "model-manifest.json"


class PackagingError(Exception):
    """The model cannot be published; the text is the one sentence the operator reads."""


@dataclass(frozen=True)
class PinnedFile:
    """A file by content: its size in bytes, and its SHA-256 in lower-case hex."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class HubFile:
    """A file of a Hugging Face repository at one commit; its path may lead through folders."""

    repository: str
    revision: str
    file: str

    def beside(self, name: str) -> "HubFile":
        """Return the file of another name in the same folder."""
        return replace(self, file=_in_same_folder(self.file, name))


@dataclass(frozen=True)
class StoredObject:
    """An object in S3."""

    bucket: str
    key: str

    def beside(self, name: str) -> "StoredObject":
        """Return the object of another name in the same folder."""
        return replace(self, key=_in_same_folder(self.key, name))


def _in_same_folder(path: str, name: str) -> str:
    folder, slash, _ = path.rpartition("/")
    return f"{folder}{slash}{name}"


@dataclass(frozen=True)
class ModelPin:
    """A GGUF by content, where to fetch it, and how and where it is published.

    Attributes:
        files: The GGUF, or the parts of a split one in their order.
        manifest: The exact bytes of the pin's manifest, made at synthesis.
        source: Where the first file comes from; the others lie beside it.
        packaging: As one archive, or as the files themselves.
        key: The object that is written last: who sees it sees a whole model.
        token_secret: ARN of the secret that holds a token for the hub, if it needs one.
    """

    files: tuple[PinnedFile, ...]
    manifest: bytes
    source: HubFile | StoredObject
    bucket: str
    key: str
    packaging: Packaging = "archive"
    token_secret: str | None = None

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    @property
    def folder(self) -> str:
        """What the keys of everything that is served begin with."""
        return f"{self.key.rpartition('/')[0]}/"

    @property
    def side_copy_key(self) -> str:
        """Where the record of this publication lies, beside what is served."""
        return f"{self.folder.removesuffix('model/')}{MODEL_MANIFEST}"

    @property
    def manifest_sha256(self) -> str:
        """Digest of the manifest, part of the key."""
        return hashlib.sha256(self.manifest).hexdigest()
