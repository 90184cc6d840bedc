import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from config.content import image_tag

BASE = "sha256:" + "a" * 64


def _folder(parent: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return parent


def test_image_tag_does_not_depend_on_what_tools_leave(tmp_path: Path) -> None:
    """Compiled files and caches are no content."""
    folder = _folder(tmp_path, {"Dockerfile": b"FROM x", "semif/a.py": b""})
    before = image_tag(BASE, folder)

    _folder(
        tmp_path, {"semif/__pycache__/a": b"x", "semif/a.pyc": b"x", ".ruff_cache/1": b"x", ".mypy_cache/2/3": b"x"}
    )

    assert image_tag(BASE, folder) == before


def test_image_tag_changes_with_bytes_names_and_base(tmp_path: Path) -> None:
    """A changed byte, a moved file and another base are other images."""
    tags = {
        image_tag(BASE, _folder(tmp_path / "1", {"a/b": b"c"})),
        image_tag(BASE, _folder(tmp_path / "2", {"a/b": b"d"})),
        image_tag(BASE, _folder(tmp_path / "3", {"a/c": b"c"})),
        image_tag(BASE, _folder(tmp_path / "4", {"a/b": b"c", "a/d": b""})),
        image_tag("sha256:" + "b" * 64, tmp_path / "1"),
    }

    assert len(tags) == 5
    assert all(len(tag) == 40 and int(tag, 16) >= 0 for tag in tags)


@given(st.dictionaries(st.sampled_from("abc"), st.binary(max_size=8), max_size=3), st.data())
def test_image_tag_tells_any_two_folders_apart(files: dict[str, bytes], data: st.DataObject) -> None:
    """Names, lengths and bytes cannot be shifted into one another."""
    other = data.draw(st.dictionaries(st.sampled_from("abc"), st.binary(max_size=8), max_size=3))
    with tempfile.TemporaryDirectory() as parent:
        one = _folder(Path(parent) / "one", files)
        two = _folder(Path(parent) / "two", other)
        assert (image_tag(BASE, one) == image_tag(BASE, two)) == (files == other)
