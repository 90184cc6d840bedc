"""What the decision image adds to its base: measured in the built image, or from what its Dockerfile installs."""

import json
import subprocess
import tempfile
from pathlib import Path

from benchmarks.checkout import BUILD, CONTAINER, DECISION_PYTHON
from benchmarks.interval import Interval
from benchmarks.rows import Comparison, Row

AT_MOST_MEGABYTES = 120.0
_BUILT = BUILD / "image.json"


def measure() -> Row:
    """Takes the figure of a built image where there is one, else installs the same wheels into an empty folder."""
    if _BUILT.exists():
        size, note = int(json.loads(_BUILT.read_text())["bytes_added"]), "as the image test measured it"
    else:
        size, note = _installed_bytes(), "the hashed wheels in an empty folder, bytecode included, and semif"
    megabytes = size / 1e6
    comparison = Comparison("nothing", "MB", Interval(megabytes, megabytes, megabytes, 1), AT_MOST_MEGABYTES)
    return Row("-", "image bytes added to the base", {"MB": megabytes}, None, None, (comparison,), note)


def _installed_bytes() -> int:
    with tempfile.TemporaryDirectory(prefix="semif-wheels-") as target:
        pip = (DECISION_PYTHON, "-m", "pip", "install", "-qq", "--require-hashes", "--no-deps", "--only-binary=:all:")
        subprocess.run((*pip, "--target", target, "-r", CONTAINER / "requirements.txt"), check=True)
        return _size(Path(target)) + sum(
            path.stat().st_size for path in (CONTAINER / "semif").rglob("*.py") if path.is_file()
        )


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
