"""The tiny hybrid's attention-only twin."""

from collections.abc import Mapping

from semif.gguf_writer import gguf_bytes
from semif.tiny_model import CHATML, tiny_metadata
from semif.tiny_weights import HEADS, WIDTH, Weights


def tiny_attention(template: str | None = CHATML, *, metadata: Mapping[str, object] | None = None) -> bytes:
    """A `qwen3` GGUF of two blocks; `metadata` comes on top."""
    weights = Weights()
    for block in range(2):
        name = f"blk.{block}"
        weights.ones(f"{name}.attn_norm.weight", WIDTH)
        weights.ones(f"{name}.ffn_norm.weight", WIDTH)
        weights.attention(name, query_heads=HEADS)
        weights.feed_forward(name)
    said = tiny_metadata("qwen3", {"block_count": 2}, template)
    weights.vocabulary(len(said["tokenizer.ggml.tokens"]))
    return gguf_bytes(said | dict(metadata or {}), weights.tensors)
