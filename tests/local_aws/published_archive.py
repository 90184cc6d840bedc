import hashlib
import io
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from local_aws.session import Address


@dataclass(frozen=True)
class PublishedArchive:
    """Where the model archive lies, its bytes, and the digest of the GGUF inside."""

    bucket: str
    key: str
    content: bytes

    def swapped_model(self) -> tuple[bytes, str]:
        """Return the GGUF with one bit of its last weight changed, and its digest."""
        with tarfile.open(fileobj=io.BytesIO(self.content)) as archive:
            for member in archive:
                source = archive.extractfile(member)
                if source and member.name.endswith(".gguf"):
                    body = _swapped(source.read())
                    return body, hashlib.sha256(body).hexdigest()
        raise AssertionError(f"{self.key} holds no GGUF")

    def swapped(self) -> tuple[bytes, str]:
        """Return an archive with another GGUF of the same size, valid in every other respect, and its digest."""
        packed, other = io.BytesIO(), hashlib.sha256()
        with (
            tarfile.open(fileobj=io.BytesIO(self.content)) as archive,
            tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as target,
        ):
            for member in archive:
                source = archive.extractfile(member)
                assert source
                body = source.read()
                if member.name.endswith(".gguf"):
                    body = _swapped(body)
                    other.update(body)
                target.addfile(member, io.BytesIO(body))
        return packed.getvalue(), other.hexdigest()


def _swapped(body: bytes) -> bytes:
    # One bit of the last weight: it loads, it answers, and it is another model.
    return body[:-1] + bytes([body[-1] ^ 1])


def published(address: Address, sha256: str = "") -> PublishedArchive:
    """Return the only published archive, or the only one of the model with this digest."""
    s3, cloudformation = address.client("s3"), address.client("cloudformation")
    (stack,) = cloudformation.describe_stacks(StackName="semif-local-artifact")["Stacks"]
    (bucket,) = [output["OutputValue"] for output in stack["Outputs"] if output["OutputKey"] == "BucketName"]
    listed = s3.list_objects_v2(Bucket=bucket, Prefix=f"models/{sha256}")["Contents"]
    (entry,) = [each for each in listed if each["Key"].endswith("/model.tar.gz")]
    content = s3.get_object(Bucket=bucket, Key=entry["Key"])["Body"].read()
    return PublishedArchive(bucket, entry["Key"], content)


@contextmanager
def swapped_behind_the_policy(address: Address, sha256: str = "") -> Iterator[str]:
    """Put another archive in the published one's place, as root, whom ministack's policies do not bind; then undo it.

    Yields:
        The digest of the GGUF in the other archive.
    """
    archive = published(address, sha256)
    content, digest = archive.swapped()
    root = address.client("s3", root=True)
    root.put_object(Bucket=archive.bucket, Key=archive.key, Body=content)
    try:
        yield digest
    finally:
        root.put_object(Bucket=archive.bucket, Key=archive.key, Body=archive.content)
