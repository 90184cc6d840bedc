"""An archive of the model of local, packed."""

import io
import tarfile
from collections.abc import Mapping
from types import MappingProxyType

from tests.unit.ops.fake_account import SETTINGS


def packed_archive(model: bytes, parts: Mapping[str, bytes] = MappingProxyType({})) -> bytes:
    """Return a tar.gz of a model under its pinned name, its further parts by name, and a manifest."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in {SETTINGS.model.file: model, **parts, "model-manifest.json": b"{}"}.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()
