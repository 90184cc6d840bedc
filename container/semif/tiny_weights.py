"""Fixed pseudo-random weights of the tiny models.

They come from integer arithmetic (splitmix64), so they are the same bytes with every numpy.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH, HIDDEN, HEADS, KV_HEADS, HEAD = 64, 128, 4, 2, 16


class Weights:
    """Tensors in the order they are made; each takes the next numbers of one stream."""

    def __init__(self) -> None:
        """Begins at the stream's first number."""
        self.tensors: dict[str, NDArray[Any]] = {}
        self._next = 1

    def ones(self, name: str, size: int) -> None:
        """A vector of ones."""
        self.tensors[name] = np.ones(size, dtype=np.float32)

    def random(self, name: str, *shape: int, half: bool = True) -> None:
        """Numbers from -1/4 to 1/4, in half or single precision."""
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
        """An attention block's matrices and norms."""
        self.random(f"{block}.attn_q.weight", query_heads * HEAD, WIDTH)
        self.random(f"{block}.attn_k.weight", KV_HEADS * HEAD, WIDTH)
        self.random(f"{block}.attn_v.weight", KV_HEADS * HEAD, WIDTH)
        self.random(f"{block}.attn_output.weight", WIDTH, HEADS * HEAD)
        self.ones(f"{block}.attn_q_norm.weight", HEAD)
        self.ones(f"{block}.attn_k_norm.weight", HEAD)

    def feed_forward(self, block: str) -> None:
        """A feed-forward block's matrices."""
        self.random(f"{block}.ffn_gate.weight", HIDDEN, WIDTH)
        self.random(f"{block}.ffn_up.weight", HIDDEN, WIDTH)
        self.random(f"{block}.ffn_down.weight", WIDTH, HIDDEN)

    def vocabulary(self, size: int) -> None:
        """The input's and the output's matrices, and the norm before the output."""
        self.random("token_embd.weight", size, WIDTH)
        self.random("output.weight", size, WIDTH)
        self.ones("output_norm.weight", WIDTH)
