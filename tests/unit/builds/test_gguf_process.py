"""A GGUF is read in a process of its own: bounded in memory and time, without credentials."""

import struct
from pathlib import Path

import pytest

import gguf_structure
from gguf_structure import Limits, check_structure
from model_pin import PackagingError
from tests.unit.builds.structures import structure
from tests.unit.builds.tiny_gguf import ARRAY, ENTRIES, entry, tiny_gguf

WHOLE = tiny_gguf()


def test_a_build_reads_a_gguf_in_a_process_of_its_own(tmp_path: Path) -> None:
    """What it says is the same."""
    path = tmp_path / "model.gguf"
    path.write_bytes(WHOLE)

    assert check_structure(path, "tiny.gguf") == structure(WHOLE)


def test_a_refusal_names_the_file(tmp_path: Path) -> None:
    """One sentence, whichever of several files it is."""
    path = tmp_path / "model.gguf"
    path.write_bytes(WHOLE[:-1])

    with pytest.raises(PackagingError, match=r"^tiny\.gguf: it is cut off or no GGUF, ValueError: .*\.$"):
        check_structure(path, "tiny.gguf")


@pytest.mark.rule(
    "a GGUF whose header asks for any memory is refused within a bounded memory",
    tool="the gguf package, the operating system's limit",
)
def test_a_header_that_asks_for_any_memory_is_refused(tmp_path: Path) -> None:
    """An array of many bytes is a small file and, element for element, many objects of the package."""
    path = tmp_path / "bomb.gguf"
    count = 1 << 20
    path.write_bytes(tiny_gguf((*ENTRIES, entry(b"a", ARRAY, struct.pack("<IQ", 0, count) + bytes(count)))))

    with pytest.raises(PackagingError, match=r"^bomb\.gguf: its header takes more than 256 MiB of memory\.$"):
        check_structure(path, "bomb.gguf", Limits(mebibytes=256))


def test_a_reading_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    """And says so."""
    path = tmp_path / "model.gguf"
    path.write_bytes(WHOLE)

    with pytest.raises(PackagingError, match=r"cannot be read within 0\.001 seconds"):
        check_structure(path, "tiny.gguf", Limits(seconds=0.001))


def test_a_reading_that_dies_is_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it ends, the build ends in one sentence."""
    died = tmp_path / "died.py"
    died.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    monkeypatch.setattr(gguf_structure, "READER", died)

    with pytest.raises(PackagingError, match=r"reading its header ended with exit code -9\."):
        check_structure(tmp_path / "model.gguf", "tiny.gguf")


def test_a_reading_knows_no_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file's content is not to be read where the build's permissions are."""
    told = tmp_path / "told.py"
    told.write_text("import json, os\nprint(json.dumps({'refused': ' '.join(sorted(os.environ)) + '.'}))\n")
    monkeypatch.setattr(gguf_structure, "READER", told)
    monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/credentials/x")

    with pytest.raises(PackagingError) as refused:
        check_structure(tmp_path / "model.gguf", "tiny.gguf")

    assert "OPENBLAS_NUM_THREADS" in str(refused.value)
    assert "AWS_" not in str(refused.value)
