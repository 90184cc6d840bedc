"""The archive as a stream: a gzip tar of the GGUF and its manifest whose every header byte is fixed."""

import hashlib
import tarfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from model_pin import ModelPin, PackagingError

CHUNK_BYTES = 1 << 20


def archive(gguf: BinaryIO, pin: ModelPin) -> Iterator[bytes]:
    """Yield the archive of an open GGUF.

    Raises:
        PackagingError: What was read is not what the pin names, before the last bytes are yielded.
    """
    # Quantized weights hardly compress: level 1 costs the least and keeps SageMaker's gunzip fast.
    deflate = zlib.compressobj(level=1, wbits=zlib.MAX_WBITS | 16)
    for block in _tar(gguf, pin):
        if packed := deflate.compress(block):
            yield packed
    yield deflate.flush()


def _tar(gguf: BinaryIO, pin: ModelPin) -> Iterator[bytes]:
    digest, size = hashlib.sha256(), 0
    yield _header(pin.file, pin.size)
    while chunk := gguf.read(CHUNK_BYTES):
        digest.update(chunk)
        size += len(chunk)
        yield chunk
    if (size, digest.hexdigest()) != (pin.size, pin.sha256):
        raise PackagingError(
            f"{pin.file} changed on disk: {size} bytes with sha256 {digest.hexdigest()}, "
            f"verified were {pin.size} bytes with sha256 {pin.sha256}."
        )
    yield bytes(-pin.size % tarfile.BLOCKSIZE)
    yield _header("manifest.json", len(pin.manifest))
    yield pin.manifest + bytes(-len(pin.manifest) % tarfile.BLOCKSIZE)
    yield bytes(2 * tarfile.BLOCKSIZE)


def _header(name: str, size: int) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o644
    # GNU's format, because it alone has sizes above 8 GiB without a further record; all else is zero by default.
    return member.tobuf(tarfile.GNU_FORMAT, "ascii", "strict")
