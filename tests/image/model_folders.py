"""Model folders as SageMaker unpacks them: the pinned file, or one that differs in a single byte."""

import shutil
from pathlib import Path


def unpacked(source: Path, folder: Path) -> Path:
    """Make a folder that holds a copy of the model file, readable for everybody, and return it."""
    folder.mkdir(parents=True, mode=0o755)
    target = folder / source.name
    shutil.copyfile(source, target)
    target.chmod(0o644)
    return folder


def with_flipped_byte(source: Path, folder: Path) -> Path:
    """Make a folder whose model file differs from the source in one byte of its weights, and return it."""
    target = unpacked(source, folder) / source.name
    position = target.stat().st_size * 3 // 4
    with target.open("r+b") as file:
        file.seek(position)
        byte = file.read(1)[0]
        file.seek(position)
        file.write(bytes((byte ^ 0xFF,)))
    return folder
