from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semif.llama.padding import LEAST_ROWS, NO_PADDING, TILE, padding_of
from semif.llama.shape import ModelShape, model_shape

# SmolLM2-135M: a small model with narrow feed-forward layers, which spends much on attention.
SMALL = ModelShape(576, 30, 30, 0, 9, 3, 64, 64, 1536, 0, 0)
# As Qwen3-4B: weights cost far more than attention.
LARGE = ModelShape(2560, 36, 36, 0, 32, 8, 128, 128, 9728, 0, 0)


@given(tokens=st.integers(1, 600), position=st.integers(0, 100_000))
def test_padding_fills_a_tile_or_adds_nothing(tokens: int, position: int) -> None:
    """Padding makes exactly one tile of a decode that is at least half of one, and never more than its room."""
    padding = padding_of(SMALL)

    rows = padding.rows(tokens, position)

    assert rows in (0, TILE - tokens)
    assert 0 <= rows <= padding.most
    assert not rows or tokens >= LEAST_ROWS


@given(tokens=st.integers(LEAST_ROWS, TILE - 1), position=st.integers(0, 50_000), further=st.integers(1, 5000))
def test_padding_that_pays_pays_further_back_too(tokens: int, position: int, further: int) -> None:
    """The more cells there are to attend to, the more a tile gains."""
    padding = padding_of(SMALL)

    assert padding.rows(tokens, position) <= padding.rows(tokens, position + further)


def test_padding_is_for_short_suffixes_far_behind() -> None:
    """Where measured: 46 rows behind 1,700 cells gain, behind 85 they lose; a large model's lose behind both."""
    assert padding_of(SMALL).rows(46, 1700) == TILE - 46
    assert padding_of(SMALL).rows(46, 85) == 0
    assert padding_of(LARGE).rows(46, 1700) == padding_of(LARGE).rows(46, 85) == 0


def test_a_sliding_window_bounds_what_padding_gains() -> None:
    """Cells out of the window cost nothing, so being further back gains nothing."""
    windowed = padding_of(replace(SMALL, window=128))

    assert windowed.rows(46, 128) == windowed.rows(46, 100_000) == 0


@pytest.mark.parametrize("change", [{"recurring": 1}, {"feed_forward": 0}, {"attending": 0}, {"width": 0}])
def test_a_model_of_another_kind_is_never_padded(change: dict[str, int]) -> None:
    """Recurrent blocks and shapes that are not told are left alone, and need no room."""
    padding = padding_of(replace(SMALL, **change))

    assert padding == NO_PADDING
    assert (padding.most, padding.rows(46, 100_000)) == (0, 0)


def test_shape_is_read_from_metadata() -> None:
    """Missing key widths follow from width and heads; what is no number counts as missing."""
    metadata = {
        "general.architecture": "llama",
        "llama.embedding_length": "576",
        "llama.block_count": "30",
        "llama.attention.head_count": "9",
        "llama.attention.head_count_kv": "3",
        "llama.feed_forward_length": "1536",
        "llama.attention.sliding_window": "[512, 512]",
    }

    assert model_shape(metadata.get) == SMALL
