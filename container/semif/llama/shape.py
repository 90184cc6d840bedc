"""The shape of a model, from its metadata: what memory and the cost of a decode follow from."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelShape:
    """Sizes in numbers, not in bytes; 0 where a model has no such thing or does not tell.

    Attributes:
        width: Of the residual stream.
        blocks: All blocks.
        attending: Blocks with attention.
        recurring: Blocks with a recurrent state.
        heads: Query heads of a block.
        kv_heads: Key and value heads of a block.
        key: Width of a key.
        value: Width of a value.
        feed_forward: Width within a block's feed-forward layer.
        window: Tokens a sliding window reaches back.
        recurrent_state: Numbers of one block's recurrent state.
    """

    width: int
    blocks: int
    attending: int
    recurring: int
    heads: int
    kv_heads: int
    key: int
    value: int
    feed_forward: int
    window: int
    recurrent_state: int


def model_shape(metadata: Callable[[str], str | None]) -> ModelShape:
    """Reads a model's shape; `metadata` gives a scalar metadata value as text, or None."""
    architecture = metadata("general.architecture") or ""

    def number(key: str, default: int) -> int:
        value = metadata(f"{architecture}.{key}")
        return int(value) if value is not None and value.isdigit() else default

    width, blocks = number("embedding_length", 0), number("block_count", 0)
    heads = number("attention.head_count", 1)
    state, inner = number("ssm.state_size", 0), number("ssm.inner_size", 0)
    interval = number("full_attention_interval", 1)
    attending = blocks // interval if state else blocks  # where the mix is not told, every block counts as both
    convolved = (number("ssm.conv_kernel", 1) - 1) * (inner + 2 * number("ssm.group_count", 0) * state)
    return ModelShape(
        width=width,
        blocks=blocks,
        attending=attending,
        recurring=(blocks - attending if interval > 1 else blocks) if state else 0,
        heads=heads,
        kv_heads=number("attention.head_count_kv", heads),
        key=number("attention.key_length", width // heads),
        value=number("attention.value_length", width // heads),
        feed_forward=number("feed_forward_length", 0),
        window=number("attention.sliding_window", 0),
        recurrent_state=convolved + state * inner,
    )
