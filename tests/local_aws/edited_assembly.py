import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path


def edited(assembly: Path, folder: Path, stack: str, edit: Callable[[str], str]) -> Path:
    """Copy a synthesized app into a folder and edit the text of one of its templates.

    Templates are uploaded under their own digest, so the digest is put right wherever it stands.
    """
    shutil.copytree(assembly, folder)
    template_file = folder / f"{stack}.template.json"
    assets_file = folder / f"{stack}.assets.json"
    files = json.loads(assets_file.read_text("utf-8"))["files"]
    before = next(key for key, file in files.items() if file["source"]["path"] == template_file.name)
    template = template_file.read_text("utf-8")
    assert template != edit(template)
    template_file.write_text(edit(template), "utf-8")
    after = hashlib.sha256(template_file.read_bytes()).hexdigest()
    for file in (assets_file, folder / "manifest.json"):
        file.write_text(file.read_text("utf-8").replace(before, after), "utf-8")
    return folder
