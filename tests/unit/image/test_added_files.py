"""How the image test tells what an image adds to its base, and where it comes from."""

import base64
import hashlib
from pathlib import Path

import pytest

from tests.image.added_files import AddedFile, added_files, bytes_by_folder, bytes_by_origin


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """Return a root file system with one file and one link."""
    root = tmp_path / "base"
    _write(root / "etc/os", b"base")
    (root / "link").symlink_to("etc/os")
    return root


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """Return a root file system that has what the base has."""
    root = tmp_path / "image"
    _write(root / "etc/os", b"base")
    (root / "link").symlink_to("etc/os")
    return root


def _write(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def _by_path(files: list[AddedFile]) -> dict[str, tuple[int, str]]:
    return {str(file.path): (file.size, file.origin) for file in files}


def test_equal_file_systems_add_nothing(base: Path, image: Path) -> None:
    """What the base has already is not counted."""
    assert added_files(base, image, []) == []


def test_every_added_file_has_its_origin(base: Path, image: Path, tmp_path: Path) -> None:
    """Files come from the folder by content, from a wheel by its RECORD, from Python's compiler, or from elsewhere."""
    source = _write(tmp_path / "context/semif.py", b"print()")
    _write(image / "opt/semif.py", b"print()")
    wheel = _write(image / "lib/wheel.py", b"wheel").read_bytes()
    encoded = base64.urlsafe_b64encode(hashlib.sha256(wheel).digest()).rstrip(b"=").decode()
    record = f'wheel.py,sha256={encoded},5\n"a,b.py",,\nRECORD,,\n'.encode()
    _write(image / "lib/wheel-1.dist-info/RECORD", record)
    _write(image / "lib/__pycache__/wheel.pyc", b"code")
    _write(image / "opt/semif/wheels.json", b"[]")
    _write(image / "etc/pip.conf", b"")
    _write(image / "etc/stray", b"stray!")
    assert _by_path(added_files(base, image, [source])) == {
        "/opt/semif.py": (7, "container"),
        "/lib/wheel.py": (5, "wheel"),
        "/lib/wheel-1.dist-info/RECORD": (len(record), "wheel"),
        "/lib/__pycache__/wheel.pyc": (4, "bytecode"),
        "/opt/semif/wheels.json": (2, "list"),
        "/etc/pip.conf": (0, "empty"),
        "/etc/stray": (6, "other"),
    }


def test_a_changed_file_of_a_wheel_is_foreign(base: Path, image: Path) -> None:
    """A file that is not what its wheel's RECORD says does not come from the wheel."""
    _write(image / "lib/wheel-1.dist-info/RECORD", b"wheel.py,sha256=AAAA,5\n")
    _write(image / "lib/wheel.py", b"other")
    assert _by_path(added_files(base, image, []))["/lib/wheel.py"] == (5, "other")


def test_a_file_of_the_base_that_changed_counts_in_full(base: Path, image: Path) -> None:
    """A changed file is stored again in the image, so all its bytes are added."""
    _write(image / "etc/os", b"changed")
    assert _by_path(added_files(base, image, [])) == {"/etc/os": (7, "other")}


def test_a_link_is_compared_by_its_target(base: Path, image: Path) -> None:
    """A link that leads elsewhere than the base's is an added one, wherever it leads."""
    (image / "link").unlink()
    (image / "link").symlink_to("/nowhere")
    assert _by_path(added_files(base, image, [])) == {"/link": (8, "other")}


def test_sums_are_by_folder_and_by_origin(base: Path, image: Path) -> None:
    """The listing adds up sizes under the first parts of the path, largest first."""
    _write(image / "usr/local/lib/a", b"12345")
    _write(image / "usr/local/b", b"12")
    _write(image / "opt/c", b"123")
    files = added_files(base, image, [])
    assert bytes_by_folder(files, 2) == [("/usr/local", 7), ("/opt", 3)]
    assert bytes_by_folder(files, 3) == [("/usr/local/lib", 5), ("/opt", 3), ("/usr/local", 2)]
    assert bytes_by_origin(files) == {"other": 10}
