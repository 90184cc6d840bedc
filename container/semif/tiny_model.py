"""Tiny models with fixed pseudo-random weights, for the golden decision and for tests.

The weights come from integer arithmetic (splitmix64), so they are the same bytes with every numpy.
The vocabulary is the 256 bytes and a few named tokens: every string is tokenisable.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from semif.gguf_writer import Metadata, gguf_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WIDTH, _HIDDEN, _HEADS, _KV_HEADS, _HEAD = 64, 128, 4, 2, 16
_SSM_STATE, _SSM_GROUPS, _SSM_RANK, _SSM_KERNEL = 16, 2, 4, 4
_NORMAL, _CONTROL, _USER_DEFINED = 1, 3, 4

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tiny_hybrid(template: str | None = CHATML, *, user_defined: Sequence[str] = ()) -> bytes:
    """A `qwen35` GGUF of four blocks: three gated delta nets and one attention."""
    value = _SSM_STATE * _SSM_RANK
    mixed = 2 * _SSM_STATE * _SSM_GROUPS + value
    extra: dict[str, Any] = {
        "rope.dimension_sections": [3, 3, 2, 0],
        "full_attention_interval": 4,
        "ssm.conv_kernel": _SSM_KERNEL,
        "ssm.inner_size": value,
        "ssm.state_size": _SSM_STATE,
        "ssm.time_step_rank": _SSM_RANK,
        "ssm.group_count": _SSM_GROUPS,
    }
    weights = _Weights()
    for block in range(4):
        name = f"blk.{block}"
        weights.ones(f"{name}.attn_norm.weight", _WIDTH)
        weights.ones(f"{name}.post_attention_norm.weight", _WIDTH)
        if block == 3:  # noqa: PLR2004 - the fourth of every four blocks attends
            weights.attention(name, query_heads=2 * _HEADS)  # each query head brings its gate
        else:
            weights.random(f"{name}.attn_qkv.weight", mixed, _WIDTH)
            weights.random(f"{name}.attn_gate.weight", value, _WIDTH)
            weights.random(f"{name}.ssm_conv1d.weight", mixed, _SSM_KERNEL, half=False)
            weights.random(f"{name}.ssm_dt.bias", _SSM_RANK, half=False)
            weights.tensors[f"{name}.ssm_a"] = -np.arange(1, _SSM_RANK + 1, dtype=np.float32) / 8
            weights.random(f"{name}.ssm_beta.weight", _SSM_RANK, _WIDTH)
            weights.random(f"{name}.ssm_alpha.weight", _SSM_RANK, _WIDTH)
            weights.ones(f"{name}.ssm_norm.weight", _SSM_STATE)
            weights.random(f"{name}.ssm_out.weight", _WIDTH, value)
        weights.feed_forward(name)
    return _model("qwen35", extra, weights, template, user_defined)


def tiny_attention(template: str | None = CHATML, *, metadata: Metadata | None = None) -> bytes:
    """The hybrid's attention-only twin, a `qwen3` GGUF of two blocks; `metadata` comes on top."""
    weights = _Weights()
    for block in range(2):
        name = f"blk.{block}"
        weights.ones(f"{name}.attn_norm.weight", _WIDTH)
        weights.ones(f"{name}.ffn_norm.weight", _WIDTH)
        weights.attention(name, query_heads=_HEADS)
        weights.feed_forward(name)
    return _model("qwen3", {}, weights, template, (), blocks=2, more=metadata)


class _Weights:
    """Tensors in the order they are made; each takes the next numbers of one stream."""

    def __init__(self) -> None:
        self.tensors: dict[str, NDArray[Any]] = {}
        self._next = 1

    def ones(self, name: str, size: int) -> None:
        self.tensors[name] = np.ones(size, dtype=np.float32)

    def random(self, name: str, *shape: int, half: bool = True) -> None:
        count = int(np.prod(shape))
        counter = np.arange(self._next, self._next + count, dtype=np.uint64)
        self._next += count
        mixed = counter * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
        uniform = (mixed >> np.uint64(40)).astype(np.float32) / np.float32(1 << 23) - np.float32(1)
        array = (uniform / np.float32(4)).reshape(shape)
        self.tensors[name] = array.astype(np.float16) if half else array

    def attention(self, block: str, *, query_heads: int) -> None:
        self.random(f"{block}.attn_q.weight", query_heads * _HEAD, _WIDTH)
        self.random(f"{block}.attn_k.weight", _KV_HEADS * _HEAD, _WIDTH)
        self.random(f"{block}.attn_v.weight", _KV_HEADS * _HEAD, _WIDTH)
        self.random(f"{block}.attn_output.weight", _WIDTH, _HEADS * _HEAD)
        self.ones(f"{block}.attn_q_norm.weight", _HEAD)
        self.ones(f"{block}.attn_k_norm.weight", _HEAD)

    def feed_forward(self, block: str) -> None:
        self.random(f"{block}.ffn_gate.weight", _HIDDEN, _WIDTH)
        self.random(f"{block}.ffn_up.weight", _HIDDEN, _WIDTH)
        self.random(f"{block}.ffn_down.weight", _WIDTH, _HIDDEN)


def _model(
    architecture: str,
    extra: dict[str, Any],
    weights: _Weights,
    template: str | None,
    user_defined: Sequence[str],
    *,
    blocks: int = 4,
    more: Metadata | None = None,
) -> bytes:
    named = [("<|endoftext|>", _CONTROL), ("<|im_start|>", _CONTROL), ("<|im_end|>", _CONTROL)]
    named += [(text, _USER_DEFINED) for text in user_defined]
    tokens = [*_byte_tokens(), *(text for text, _ in named)]
    weights.random("token_embd.weight", len(tokens), _WIDTH)
    weights.random("output.weight", len(tokens), _WIDTH)
    weights.ones("output_norm.weight", _WIDTH)
    sizes = {
        "context_length": 8192,
        "embedding_length": _WIDTH,
        "block_count": blocks,
        "feed_forward_length": _HIDDEN,
        "attention.head_count": _HEADS,
        "attention.head_count_kv": _KV_HEADS,
        "attention.key_length": _HEAD,
        "attention.value_length": _HEAD,
        "attention.layer_norm_rms_epsilon": 1e-6,
        "rope.dimension_count": _HEAD,
        "rope.freq_base": 10000.0,
        **extra,
    }
    metadata: dict[str, Any] = {
        "general.architecture": architecture,
        **{f"{architecture}.{key}": value for key, value in sizes.items()},
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "qwen2",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [_NORMAL] * 256 + [kind for _, kind in named],
        "tokenizer.ggml.merges": [],
        "tokenizer.ggml.eos_token_id": 258,
        "tokenizer.ggml.add_bos_token": False,
        **(more or {}),
    }
    if template is not None:
        metadata["tokenizer.chat_template"] = template
    return gguf_bytes(metadata, weights.tensors)


def _byte_tokens() -> list[str]:
    # Byte-level BPE writes each byte as one printable character: itself if it is one, else one from 256 on.
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]
