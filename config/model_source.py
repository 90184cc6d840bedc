"""Where a model comes from: a commit on the Hugging Face hub, or an object in S3."""

from typing import Literal

from config.values import HubFolder, HubRepository, Revision, S3Uri, SecretArn, Table


class HuggingFaceSource(Table):
    """A commit of a repository on the Hugging Face hub, a folder in it, and the secret with its token if needed."""

    kind: Literal["huggingface"]
    repository: HubRepository
    revision: Revision
    folder: HubFolder | None = None
    token_secret_arn: SecretArn | None = None

    def path(self, file: str) -> str:
        """Where a file is in the repository."""
        return f"{self.folder}/{file}" if self.folder else file


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

    def beside(self, name: str) -> str:
        """The key of the object of another name in the same folder."""
        return f"{self.key.removesuffix(self.key.rpartition('/')[2])}{name}"


class TokenizerPin(Table):
    """The tokenizer the GGUF was made with, named in answers."""

    repository: HubRepository
    revision: Revision
