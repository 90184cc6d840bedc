"""Rows of padding behind a short decode: on a CPU, attention to 64 rows can cost less than to 40.

ggml's flash attention for CPUs computes tiles of 64 rows, and one row after the other below that, which
takes nearly four times as long a row. Where a model spends much on attention, short suffixes far behind
a long state gain more from the tile than a few rows of padding cost. What follows a token never changes
it, so the padding's content is of no importance; that it is there is part of the canonical cut.
"""

from dataclasses import dataclass

from semif.llama.shape import ModelShape

TILE = 64
LEAST_ROWS = 32  # twice as many rows were never faster
# Cost of a multiplication in attention, where one in a weight matrix is 1: measured on AVX2 with Q4_1 and Q4_K weights.
_ROW_BY_ROW, _IN_TILES = 3.0, 0.8


@dataclass(frozen=True, slots=True)
class Padding:
    """When to pad for one model: a pure function of sizes, so that a prompt is always cut alike.

    Attributes:
        per_cell: Multiplications a row of attention takes for each cell before it; 0 for "never pad".
        per_row: Multiplications a row takes in the weight matrices.
        window: Cells a row attends to at most; 0 for all.
    """

    per_cell: int
    per_row: int
    window: int

    @property
    def most(self) -> int:
        """Rows that are added at most."""
        return TILE - LEAST_ROWS if self.per_cell else 0

    def rows(self, tokens: int, position: int) -> int:
        """How many rows follow `tokens` rows that begin at `position`."""
        if not (self.per_cell and LEAST_ROWS <= tokens < TILE):
            return 0
        cells = min(position, self.window) if self.window else position
        weights, attention = self.per_row, self.per_cell * cells
        pays = tokens * (weights + _ROW_BY_ROW * attention) > TILE * (weights + _IN_TILES * attention)
        return TILE - tokens if pays else 0


NO_PADDING = Padding(0, 0, 0)


def padding_of(shape: ModelShape) -> Padding:
    """The rule for a model on a CPU; none where a block recurs (nothing measured) or its size is not told."""
    if shape.recurring or not (shape.feed_forward and shape.width and shape.attending):
        return NO_PADDING
    heads_width = shape.key + shape.value
    projections = shape.width * heads_width * (shape.heads + shape.kv_heads)
    return Padding(
        per_cell=shape.attending * shape.heads * heads_width,
        per_row=shape.blocks * (projections + 3 * shape.width * shape.feed_forward),
        window=shape.window,
    )
