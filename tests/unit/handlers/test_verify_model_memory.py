"""A bomb is refused by what it is, in the memory of an honest archive: measured in a process of its own."""

import json
import subprocess
import sys
import tarfile
import zlib
from pathlib import Path

import pytest

from tests.unit.handlers.archives import GGUF, manifest_of, member, properties, request

HANDLERS = Path(__file__).parents[3] / "handlers"
ONE_GIB = 1 << 30
MOST_MIB = 32
PROGRAM = """
import json, resource, sys
from pathlib import Path
import verify_model
class Store:
    def get_object(self, **_):
        path = Path(sys.argv[1])
        return {"Body": path.open("rb", buffering=0), "ContentLength": path.stat().st_size}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    verify_model.on_event(json.loads(sys.argv[2]), None, Store)
except verify_model.RefusedError as error:
    said = str(error)
print(json.dumps({"said": said, "mib": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024}))
"""


def bomb(path: Path, head: bytes) -> int:
    """Write a gzip file of a head, 1 GiB of zeros behind it and the end of an archive; return its size."""
    deflate = zlib.compressobj(1, wbits=zlib.MAX_WBITS | 16)
    zeros = bytes(1 << 20)
    with path.open("wb") as file:
        file.write(deflate.compress(head))
        for _ in range(ONE_GIB // len(zeros)):
            file.write(deflate.compress(zeros))
        file.write(deflate.compress(member("model-manifest.json", manifest_of(GGUF)) + bytes(1024)) + deflate.flush())
    return path.stat().st_size


def claimed(size: int) -> bytes:
    """The header of a tiny.gguf that claims some size."""
    info = tarfile.TarInfo("tiny.gguf")
    info.size = size
    return info.tobuf(tarfile.GNU_FORMAT)


BOMBS = {
    "at its header": (claimed(ONE_GIB), len(GGUF), f"holds tiny.gguf with {ONE_GIB} bytes"),
    "when hashed": (claimed(ONE_GIB), ONE_GIB, "pinned is sha256"),
    "behind the end": (
        member("tiny.gguf", GGUF) + member("model-manifest.json", manifest_of(GGUF)),
        len(GGUF),
        "behind",
    ),
}


@pytest.mark.rule(
    "an archive that inflates to 1 GiB is refused by name in at most 32 MiB above the imports",
    tool="the handler in a process of its own, measured",
)
@pytest.mark.parametrize(("head", "pinned", "sentence"), BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_is_refused_in_little_memory(head: bytes, pinned: int, sentence: str, tmp_path: Path) -> None:
    """Whether the claim is beyond the pin, within it, or hidden behind the archive's end."""
    archive = tmp_path / "model.tar.gz"
    assert bomb(archive, head) < 17 << 20
    event = request("Create", properties(changes={"GgufBytes": str(pinned)}))

    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(archive), json.dumps(event)],
        cwd=HANDLERS,
        check=True,
        capture_output=True,
    )
    measured = json.loads(ran.stdout)

    assert sentence in measured["said"]
    assert measured["mib"] <= MOST_MIB
