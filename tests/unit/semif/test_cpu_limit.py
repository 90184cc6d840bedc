"""How many threads a decode gets."""

from pathlib import Path

import pytest

from semif.cpu_limit import default_threads, most_threads


@pytest.mark.parametrize(
    ("files", "affinity", "threads"),
    [
        ({}, 4, 4),
        ({"cpu.max": "max 100000\n"}, 4, 4),
        ({"cpu.max": "250000 100000\n"}, 4, 2),
        ({"cpu.max": "50000 100000\n"}, 4, 1),
        ({"cpu.max": "800000 100000\n"}, 4, 4),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, 4, 4),
        ({"cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 4, 3),
        ({"cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "0\n"}, 4, 4),
        ({"cpu.max": "nonsense"}, 4, 4),
        ({}, 600, 512),
        ({"cpu.max": "60000000 100000\n"}, 700, 512),
    ],
)
def test_threads_never_exceed_the_limit_and_never_vanish(
    tmp_path: Path, files: dict[str, str], affinity: int, threads: int
) -> None:
    """The default is the smaller of quota and affinity, from one to the library's 512; both control-group versions."""
    (tmp_path / "cpu").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    assert most_threads(tmp_path, range(affinity)) == threads
    assert default_threads(tmp_path, range(affinity), tmp_path) == threads


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
