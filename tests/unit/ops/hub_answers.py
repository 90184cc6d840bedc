"""What the hub answers about the model of dev, and about the same model as a set of two files."""

from typing import Any

from config.loader import load
from config.model_source import S3Source
from config.settings import Settings
from config.split_set import ModelPart

DEV = load("dev")
PINNED = "4168f45a16a1290d65a4ec0fa312ae917a4c15d6"
NEW = "b" * 40
AT_PIN = f"/api/models/bartowski/Qwen_Qwen3.5-4B-GGUF/revision/{PINNED}"
AT_MAIN = "/api/models/bartowski/Qwen_Qwen3.5-4B-GGUF/revision/main"
AT_NEW = f"/api/models/bartowski/Qwen_Qwen3.5-4B-GGUF/revision/{NEW}"
TOKENIZER_AT_PIN = "/api/models/Qwen/Qwen3.5-4B/revision/851bf6e806efd8d0a36b00ddf55e13ccb7b8cd0a"


def commit(sha: str, size: int = DEV.model.bytes, sha256: str = DEV.model.sha256) -> dict[str, Any]:
    """Answer with a commit that holds the model's file, unless told otherwise with its pinned size and digest."""
    file = {"rfilename": DEV.model.file, "size": size, "lfs": {"size": size, "sha256": sha256}}
    return {"sha": sha, "siblings": [{"rfilename": "README.md", "size": 3}, file]}


HEALTHY = {AT_PIN: commit(PINNED), TOKENIZER_AT_PIN: {"sha": "8" * 40}}
SET = ["a-00001-of-00002.gguf", "a-00002-of-00002.gguf"]


def split_set(kind: str) -> Settings:
    """Return dev with a set of two files, on the hub or in a bucket."""
    part = ModelPart(file=SET[1], bytes=7, sha256="d" * 64)
    source = DEV.model.source.model_copy(update={"folder": "q4"})
    stored = S3Source(kind="s3", uri=f"s3://models/q4/{SET[0]}")
    changes = {"file": SET[0], "parts": (part,), "source": source if kind == "huggingface" else stored}
    return DEV.model_copy(update={"model": DEV.model.model_copy(update=changes)})


def set_on_hub(second: int = 7) -> dict[str, Any]:
    """Answer with a commit that holds a set of two files; `second` is the size of the other one in bytes."""
    first = {"rfilename": f"q4/{SET[0]}", "size": DEV.model.bytes, "lfs": {"sha256": DEV.model.sha256}}
    return {
        "sha": PINNED,
        "siblings": [first, {"rfilename": f"q4/{SET[1]}", "size": second, "lfs": {"sha256": "d" * 64}}],
    }
