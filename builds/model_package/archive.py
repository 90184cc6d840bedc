"""The archive as a stream: a gzip tar of the GGUF and its manifest whose every header byte is fixed."""

import hashlib
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from model_pin import MODEL_MANIFEST, PackagingError, PinnedFile

CHUNK_BYTES = 1 << 20

Fetched = Sequence[tuple[PinnedFile, BinaryIO]]
"""The pinned files and what was fetched of them, open for reading."""


def archive(files: Fetched, manifest: bytes) -> Iterator[bytes]:
    """Yield the archive of fetched files and their manifest.

    Raises:
        PackagingError: What was read is not what is pinned, before the last bytes are yielded.
    """
    # Quantized weights hardly compress: level 1 costs the least and keeps SageMaker's gunzip fast.
    deflate = zlib.compressobj(level=1, wbits=zlib.MAX_WBITS | 16)
    for block in _tar(files, manifest):
        if packed := deflate.compress(block):
            yield packed
    yield deflate.flush()


def content(pinned: PinnedFile, file: BinaryIO) -> Iterator[bytes]:
    """Yield a file from its beginning.

    Raises:
        PackagingError: It was not what is pinned.
    """
    digest, size = hashlib.sha256(), 0
    file.seek(0)
    while chunk := file.read(CHUNK_BYTES):
        digest.update(chunk)
        size += len(chunk)
        yield chunk
    if (size, digest.hexdigest()) != (pinned.size, pinned.sha256):
        raise PackagingError(
            f"{pinned.name} changed on disk: {size} bytes with sha256 {digest.hexdigest()}, "
            f"verified were {pinned.size} bytes with sha256 {pinned.sha256}."
        )


def _tar(files: Fetched, manifest: bytes) -> Iterator[bytes]:
    for pinned, file in files:
        yield _header(pinned.name, pinned.size)
        yield from content(pinned, file)
        yield bytes(-pinned.size % tarfile.BLOCKSIZE)
    yield _header(MODEL_MANIFEST, len(manifest))
    yield manifest + bytes(-len(manifest) % tarfile.BLOCKSIZE)
    yield bytes(2 * tarfile.BLOCKSIZE)


def _header(name: str, size: int) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o644
    # GNU's format, because it alone has sizes above 8 GiB without a further record; all else is zero by default.
    return member.tobuf(tarfile.GNU_FORMAT, "ascii", "strict")
