import io
import os
import tempfile
import zipfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from handoff.archive import zipped

CONTENTS = {"b.txt": b"two", "a/c.sh": b"#!/bin/sh\n", "a/b.txt": b""}


def _write(folder: Path, names: list[str], *, time: int, mode: int) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(CONTENTS[name])
        path.chmod(mode | (0o100 if path.suffix == ".sh" else 0))
        os.utime(path, (time, time))
    return folder


def test_zip_depends_on_names_contents_and_executable_bits_alone(tmp_path: Path) -> None:
    """Order of writing, times and the umask leave no trace."""
    one = _write(tmp_path / "one", sorted(CONTENTS), time=1_000_000_000, mode=0o600)
    other = _write(tmp_path / "other", sorted(CONTENTS, reverse=True), time=1_700_000_000, mode=0o664)

    assert zipped(one) == zipped(other)


def test_zip_holds_each_file_readable_by_all(tmp_path: Path) -> None:
    """Unpacked it is the folder, scripts still executable, whoever unpacks it."""
    folder = _write(tmp_path / "folder", list(CONTENTS), time=1_000_000_000, mode=0o600)

    with zipfile.ZipFile(io.BytesIO(zipped(folder))) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == CONTENTS
        modes = {entry.filename: (entry.external_attr >> 16) & 0o777 for entry in archive.infolist()}
    assert modes == {"a/b.txt": 0o644, "a/c.sh": 0o755, "b.txt": 0o644}


@given(st.binary(max_size=64))
def test_zip_changes_with_a_file(content: bytes) -> None:
    """Other bytes make another archive."""
    assert zipped_alone(content) == zipped_alone(content)
    assert zipped_alone(content) != zipped_alone(content + b"x")


def zipped_alone(content: bytes) -> bytes:
    """Return the zip of a folder with one file."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "file").write_bytes(content)
        return zipped(Path(folder))
