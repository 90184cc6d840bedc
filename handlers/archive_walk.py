"""Walk a gzip-compressed tar of a few flat files in one pass, in constant memory, trusting nothing in it.

The standard library's readers are made to be generous: `gzip` joins further members and skips zero padding,
`tarfile` follows pax and GNU records that rename or resize the next member. Here each of these is an error, so
this walk takes the bytes itself: zlib for the one gzip member, TarInfo.frombuf for one header block at a time.
"""

import hashlib
import tarfile
import zlib
from collections.abc import Iterator
from typing import Protocol

CHUNK_BYTES = 1 << 18
BLOCK_BYTES = tarfile.BLOCKSIZE
END_BYTES = tarfile.RECORDSIZE
"""A tar ends with two zero blocks and may be filled with zeros up to one record."""


class ArchiveError(Exception):
    """The archive is not the plain tar.gz it has to be; the text is a clause without its name."""


class ByteSource(Protocol):
    """What a stored object's body can do."""

    def read(self, amt: int, /) -> bytes:
        """Return up to `amt` bytes, and nothing at the end."""


class GzipMember:
    """The decompressed bytes of a file that is exactly one gzip member, counted and hashed on the way.

    Attributes:
        sha256: Running digest of the compressed bytes.
        compressed_bytes: How many of them were read.
    """

    def __init__(self, source: ByteSource) -> None:
        self.sha256 = hashlib.sha256()
        self.compressed_bytes = 0
        self._source = source
        self._zlib = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        self._waiting = b""

    def chunks(self, count: int) -> Iterator[bytes]:
        """Yield exactly `count` decompressed bytes in pieces of at most CHUNK_BYTES.

        Raises:
            ArchiveError: The stream ends before, or is not gzip.
        """
        while count:
            chunk = self._some(min(count, CHUNK_BYTES))
            if not chunk:
                raise ArchiveError("ends in the middle of its tar")
            count -= len(chunk)
            yield chunk

    def exactly(self, count: int) -> bytes:
        """Return exactly `count` decompressed bytes."""
        return b"".join(self.chunks(count))

    def finish(self, allowed_zeros: int) -> None:
        """Read to the end, where only a tar's zero fill and nothing behind the gzip member may be.

        Raises:
            ArchiveError: Anything else is there.
        """
        while fill := self._some(allowed_zeros + 1):
            allowed_zeros -= len(fill)
            if allowed_zeros < 0 or any(fill):
                raise ArchiveError("holds data behind the end of its tar")
        if self._zlib.unused_data or self._read():
            raise ArchiveError("holds data behind its one gzip member")

    def _some(self, limit: int) -> bytes:
        """Return at least one and at most `limit` bytes; nothing at the end of the gzip member."""
        while not self._zlib.eof:
            taken = self._waiting or self._read()
            try:
                chunk = self._zlib.decompress(taken, limit)
            except zlib.error as error:
                raise ArchiveError(f"is not intact gzip ({error})") from error
            self._waiting = self._zlib.unconsumed_tail
            if chunk:
                return chunk
            if not taken:
                raise ArchiveError("ends in the middle of its gzip member")
        return b""

    def _read(self) -> bytes:
        taken = self._source.read(CHUNK_BYTES)
        self.sha256.update(taken)
        self.compressed_bytes += len(taken)
        return taken


def next_file(stream: GzipMember) -> tarfile.TarInfo | None:
    """Read one tar header, which must be that of a regular file; None at the end of the tar.

    Raises:
        ArchiveError: The member is anything else: a link, a folder, a device, a pax or GNU record.
    """
    block = stream.exactly(BLOCK_BYTES)
    if not any(block):
        if any(stream.exactly(BLOCK_BYTES)):
            raise ArchiveError("holds data behind the end of its tar")
        return None
    try:
        # Latin-1 gives every byte a character, so no name is refused or changed before it is compared.
        header = tarfile.TarInfo.frombuf(block, "latin-1", "strict")
    except tarfile.HeaderError as error:
        raise ArchiveError(f"holds a broken tar header ({error})") from error
    if header.type != tarfile.REGTYPE or header.linkname:
        raise ArchiveError(f"holds {header.name[:100]!r}, which is not a plain file (tar type {header.type!r})")
    if header.size < 0:
        raise ArchiveError(f"holds {header.name[:100]!r} with a negative size")
    return header


def skip_padding(stream: GzipMember, size: int) -> None:
    """Read the zeros that fill a member of `size` bytes up to the next block.

    Raises:
        ArchiveError: They are not zeros.
    """
    if any(stream.exactly(-size % BLOCK_BYTES)):
        raise ArchiveError("hides data between its members")
