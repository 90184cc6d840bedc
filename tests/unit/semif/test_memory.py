"""How much memory a model needs and how much there is."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from semif.decision import StartFailure
from semif.llama.memory import MOST_BY_DEFAULT, fitting_resident_states, memory_needs
from semif.llama.padding import NO_PADDING
from semif.llama.shape import model_shape
from semif.memory_limit import memory_limit
from semif.settings import read_settings
from semif.start import _resident_states
from tests.unit.semif.test_settings import ENVIRONMENT

MIB = 1 << 20
QWEN = {
    "general.architecture": "qwen35",
    "qwen35.block_count": "32",
    "qwen35.embedding_length": "2560",
    "qwen35.feed_forward_length": "9216",
    "qwen35.attention.head_count": "16",
    "qwen35.attention.head_count_kv": "4",
    "qwen35.attention.key_length": "256",
    "qwen35.attention.value_length": "256",
    "qwen35.full_attention_interval": "4",
    "qwen35.ssm.state_size": "128",
    "qwen35.ssm.inner_size": "4096",
    "qwen35.ssm.group_count": "16",
    "qwen35.ssm.conv_kernel": "4",
}
NEEDS = memory_needs(model_shape(QWEN.get), weights=2873 * MIB, vocabulary=248320, decisions=8)


def test_a_hybrids_cache_counts_its_attention_blocks_and_its_recurrent_state() -> None:
    """A model of the published shape takes 32 KiB a token and 53 MB a sequence."""
    assert NEEDS.per_token == 32 * 1024
    convolved, recurrent = (4 - 1) * (4096 + 2 * 16 * 128), 128 * 4096
    assert NEEDS.per_sequence == 24 * (convolved + recurrent) * 4 == 52_690_944
    assert 142_000_000 < 4352 * NEEDS.per_token < 143_000_000


def test_as_many_states_stay_as_fit() -> None:
    """Without a setting the number grows with the limit, from one to a few."""
    found = [
        fitting_resident_states(NEEDS, tokens=4096, scratch=1, asked=None, limit=mib * MIB)
        for mib in (4096, 4352, 16384)
    ]

    assert found[0] >= 1
    assert found == sorted(found)
    assert found[-1] == MOST_BY_DEFAULT


@pytest.mark.parametrize("asked", [None, 0, 1, 50])
def test_what_does_not_fit_is_refused_with_both_figures(asked: int | None) -> None:
    """The refusal names what is needed, what there is, and what to change."""
    limit = 60 * 195 * MIB // 2 if asked == 50 else 3000 * MIB

    with pytest.raises(StartFailure, match=rf"need about \d+ MiB with the model, and the limit is {limit >> 20} MiB"):
        fitting_resident_states(NEEDS, tokens=4096, scratch=1, asked=asked, limit=limit)


def test_none_resident_costs_what_one_does() -> None:
    """The running request's own state takes a sequence in any case."""
    assert fitting_resident_states(NEEDS, tokens=4096, scratch=1, asked=0, limit=5000 * MIB) == 0
    least = int(NEEDS.total(tokens=4096, sequences=1) / 0.95)
    assert fitting_resident_states(NEEDS, tokens=4096, scratch=0, asked=0, limit=least + 1) == 0
    with pytest.raises(StartFailure, match="1 sequences of 4096 tokens"):
        fitting_resident_states(NEEDS, tokens=4096, scratch=0, asked=0, limit=least - MIB)


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({}, 4096 * 1024),
        ({"memory.max": "max\n"}, 4096 * 1024),
        ({"memory.max": "1048576\n"}, 1048576),
        ({"memory/memory.limit_in_bytes": "9223372036854771712\n"}, 4096 * 1024),
        ({"memory/memory.limit_in_bytes": "2097152\n"}, 2097152),
    ],
)
def test_memory_limit_is_the_smallest_that_is_stated(tmp_path: Path, files: dict[str, str], limit: int) -> None:
    """Both control-group versions are read, and the machine's memory is the upper bound."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "meminfo").write_text("MemTotal:        4096 kB\nMemFree: 1 kB\n")
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    assert memory_limit(tmp_path, tmp_path / "meminfo") == limit


def test_every_branch_counts() -> None:
    """A limit that just holds a state and one branch does not hold a state and two, and a default never assumes so."""
    limit = int(NEEDS.total(tokens=4096, sequences=2) / 0.95) + 1

    assert fitting_resident_states(NEEDS, tokens=4096, scratch=1, asked=None, limit=limit) == 1
    with pytest.raises(StartFailure, match="3 sequences of 4096 tokens"):
        fitting_resident_states(NEEDS, tokens=4096, scratch=2, asked=1, limit=limit)


def test_every_decision_of_a_request_leaves_a_row_of_logits() -> None:
    """A list of a thousand takes a gigabyte more with a vocabulary of a quarter of a million; the start knows."""
    many = memory_needs(model_shape(QWEN.get), weights=2873 * MIB, vocabulary=248320, decisions=1008)
    row = 248320 * 4

    more = many.total(tokens=4096, sequences=2) - NEEDS.total(tokens=4096, sequences=2)

    assert more == 1000 * row
    with pytest.raises(StartFailure, match="SEMIF_MAX_SHARED_DECISIONS"):
        fitting_resident_states(many, tokens=4096, scratch=1, asked=None, limit=4096 * MIB)


@pytest.mark.parametrize(("free", "fits"), [(0, False), (8 << 30, True), (None, True)])
def test_a_gpu_that_holds_every_layer_is_the_limit(free: int | None, *, fits: bool) -> None:
    """Its free memory counts, were it none at all, and not the machine's; where no GPU tells, the machine's does."""
    shape = model_shape(QWEN.get)
    model = SimpleNamespace(
        layers_offloaded=33,
        layers_total=33,
        shape=shape,
        vocabulary=SimpleNamespace(size=1000),
        padding=NO_PADDING,
        can_cut=False,
    )
    opened: Any = SimpleNamespace(model=model, memory_limit=8 << 30, library=SimpleNamespace(gpu_memory=lambda: free))
    settings = read_settings(ENVIRONMENT)

    with nullcontext() if fits else pytest.raises(StartFailure, match="limit is 0 MiB"):
        assert _resident_states(settings, opened) == MOST_BY_DEFAULT
