"""How much memory a model needs and how much there is."""

from pathlib import Path

import pytest

from semif.cpu_limit import default_threads, most_threads
from semif.decision import StartFailure
from semif.llama.engine import sequences_for
from semif.llama.memory import MOST_BY_DEFAULT, fitting_resident_states, memory_needs
from semif.llama.shape import model_shape
from semif.memory_limit import memory_limit

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
NEEDS = memory_needs(model_shape(QWEN.get), weights=2873 * MIB, vocabulary=248320)


def test_a_hybrids_cache_counts_its_attention_blocks_and_its_recurrent_state() -> None:
    """A model of the published shape takes 32 KiB a token and 53 MB a sequence."""
    assert NEEDS.per_token == 32 * 1024
    assert 52_000_000 < NEEDS.per_sequence < 54_000_000
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


def test_two_threads_of_one_core_count_once(tmp_path: Path) -> None:
    """The default counts physical cores where the kernel tells them; a setting may use every CPU of the limit."""
    for cpu in range(4):
        folder = tmp_path / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(f"{cpu % 2},{cpu % 2 + 2}\n")

    assert default_threads(tmp_path, [0, 1, 2, 3], tmp_path) == 2
    assert default_threads(tmp_path, [0, 2], tmp_path) == 1
    assert most_threads(tmp_path, [0, 1, 2, 3]) == 4
    assert default_threads(tmp_path, [7, 8], tmp_path) == 2  # unknown CPUs count as cores


def test_every_branch_counts() -> None:
    """A limit that just holds a state and one branch does not hold a state and two, and a default never assumes so."""
    limit = int(NEEDS.total(tokens=4096, sequences=2) / 0.95) + 1

    assert fitting_resident_states(NEEDS, tokens=4096, scratch=1, asked=None, limit=limit) == 1
    with pytest.raises(StartFailure, match="3 sequences of 4096 tokens"):
        fitting_resident_states(NEEDS, tokens=4096, scratch=2, asked=1, limit=limit)


@pytest.mark.parametrize(
    ("states", "branches", "can_cut", "sequences"),
    [(0, 1, True, 1), (4, 1, True, 4), (4, 1, False, 5), (4, 2, True, 6), (0, 3, False, 4)],
)
def test_a_scratch_sequence_is_kept_only_where_suffixes_go_into_copies(
    *, states: int, branches: int, can_cut: bool, sequences: int
) -> None:
    """A suffix decoded in place needs no sequence of its own; copies and branches decoded together do."""
    assert sequences_for(states, branches=branches, can_cut=can_cut) == sequences
