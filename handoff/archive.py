"""Pure: a folder as a zip whose bytes depend on names, contents and executable bits alone."""

import io
import stat
import zipfile
from pathlib import Path

# Zip knows no time before it.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX = 3


def zipped(folder: Path) -> bytes:
    """Return the folder's files as a zip: sorted, with one time, owner-writable and readable by all.

    Nothing is compressed: the bytes of a compressed file differ between versions of zlib.
    """
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as target:
        for path in sorted((each for each in folder.rglob("*") if each.is_file()), key=lambda each: each.as_posix()):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _EPOCH)
            entry.create_system = _UNIX
            executable = path.stat().st_mode & stat.S_IXUSR
            entry.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
            target.writestr(entry, path.read_bytes())
    return archive.getvalue()
