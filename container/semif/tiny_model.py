"""A tiny model with fixed pseudo-random weights, for the golden decision; tests make others of its parts.

The vocabulary is the 256 bytes and a few named tokens: every string is tokenisable.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from semif.gguf_writer import gguf_bytes
from semif.tiny_weights import HEAD, HEADS, HIDDEN, KV_HEADS, WIDTH, Weights

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
    sizes: dict[str, object] = {
        "rope.dimension_sections": [3, 3, 2, 0],
        "full_attention_interval": 4,
        "ssm.conv_kernel": _SSM_KERNEL,
        "ssm.inner_size": value,
        "ssm.state_size": _SSM_STATE,
        "ssm.time_step_rank": _SSM_RANK,
        "ssm.group_count": _SSM_GROUPS,
    }
    weights = Weights()
    for block in range(4):
        name = f"blk.{block}"
        weights.ones(f"{name}.attn_norm.weight", WIDTH)
        weights.ones(f"{name}.post_attention_norm.weight", WIDTH)
        if block == 3:  # noqa: PLR2004 - the fourth of every four blocks attends
            weights.attention(name, query_heads=2 * HEADS)  # each query head brings its gate
        else:
            weights.random(f"{name}.attn_qkv.weight", mixed, WIDTH)
            weights.random(f"{name}.attn_gate.weight", value, WIDTH)
            weights.random(f"{name}.ssm_conv1d.weight", mixed, _SSM_KERNEL, half=False)
            weights.random(f"{name}.ssm_dt.bias", _SSM_RANK, half=False)
            weights.tensors[f"{name}.ssm_a"] = -np.arange(1, _SSM_RANK + 1, dtype=np.float32) / 8
            weights.random(f"{name}.ssm_beta.weight", _SSM_RANK, WIDTH)
            weights.random(f"{name}.ssm_alpha.weight", _SSM_RANK, WIDTH)
            weights.ones(f"{name}.ssm_norm.weight", _SSM_STATE)
            weights.random(f"{name}.ssm_out.weight", WIDTH, value)
        weights.feed_forward(name)
    metadata = tiny_metadata("qwen35", sizes, template, user_defined)
    weights.vocabulary(len(metadata["tokenizer.ggml.tokens"]))
    return gguf_bytes(metadata, weights.tensors)


def tiny_metadata(
    architecture: str, sizes: Mapping[str, object], template: str | None, user_defined: Sequence[str] = ()
) -> dict[str, Any]:
    """What a tiny model's file says before its tensors; `sizes` come on top of the common ones, or replace them."""
    named = [("<|endoftext|>", _CONTROL), ("<|im_start|>", _CONTROL), ("<|im_end|>", _CONTROL)]
    named += [(text, _USER_DEFINED) for text in user_defined]
    common = {
        "context_length": 8192,
        "embedding_length": WIDTH,
        "block_count": 4,
        "feed_forward_length": HIDDEN,
        "attention.head_count": HEADS,
        "attention.head_count_kv": KV_HEADS,
        "attention.key_length": HEAD,
        "attention.value_length": HEAD,
        "attention.layer_norm_rms_epsilon": 1e-6,
        "rope.dimension_count": HEAD,
        "rope.freq_base": 10000.0,
    }
    metadata: dict[str, Any] = {
        "general.architecture": architecture,
        **{f"{architecture}.{key}": value for key, value in (common | dict(sizes)).items()},
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "qwen2",
        "tokenizer.ggml.tokens": [*_byte_tokens(), *(text for text, _ in named)],
        "tokenizer.ggml.token_type": [_NORMAL] * 256 + [kind for _, kind in named],
        "tokenizer.ggml.merges": [],
        "tokenizer.ggml.eos_token_id": 258,
        "tokenizer.ggml.add_bos_token": False,
    }
    if template is not None:
        metadata["tokenizer.chat_template"] = template
    return metadata


def _byte_tokens() -> list[str]:
    # Byte-level BPE writes each byte as one printable character: itself if it is one, else one from 256 on.
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]
