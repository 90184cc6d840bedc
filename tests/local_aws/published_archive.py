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
                    # One bit of the last weight: it loads, it answers, and it is another model.
                    body = body[:-1] + bytes([body[-1] ^ 1])
                    other.update(body)
                target.addfile(member, io.BytesIO(body))
        return packed.getvalue(), other.hexdigest()


def published(address: Address) -> PublishedArchive:
    """Return the only published model archive."""
    s3 = address.client("s3")
    (bucket,) = [
        found["Name"]
        for found in s3.list_buckets()["Buckets"]
        if found["Name"].startswith("semif-local-artifact-artifactbucketc")
    ]
    (entry,) = s3.list_objects_v2(Bucket=bucket, Prefix="models/")["Contents"]
    content = s3.get_object(Bucket=bucket, Key=entry["Key"])["Body"].read()
    return PublishedArchive(bucket, entry["Key"], content)


@contextmanager
def swapped_behind_the_policy(address: Address) -> Iterator[str]:
    """Put another archive in the published one's place, as root, whom ministack's policies do not bind; then undo it.

    Yields:
        The digest of the GGUF in the other archive.
    """
    archive = published(address)
    content, digest = archive.swapped()
    root = address.client("s3", root=True)
    root.put_object(Bucket=archive.bucket, Key=archive.key, Body=content)
    try:
        yield digest
    finally:
        root.put_object(Bucket=archive.bucket, Key=archive.key, Body=archive.content)
