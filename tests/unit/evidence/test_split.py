"""Which tasks fit and which certify."""

from hypothesis import given
from hypothesis import strategies as st

from evidence.calibration.split import certifies


@given(task=st.text(min_size=1), seed=st.integers(), share=st.floats(0.05, 0.95))
def test_split_depends_on_id_and_seed_alone(task: str, seed: int, share: float) -> None:
    """The same id and seed give the same side, and a greater share only adds tasks."""
    side = certifies(task, seed=seed, share=share)
    assert side == certifies(task, seed=seed, share=share)
    assert not side or certifies(task, seed=seed, share=min(1.0, share + 0.05))


def test_split_has_about_the_share_and_moves_with_the_seed() -> None:
    """Of 2,000 tasks about 1,200 certify at a share of 0.6, and another seed has others."""
    sides = [[certifies(f"task-{number}", seed=seed, share=0.6) for number in range(2000)] for seed in (0, 1)]
    assert all(1100 < sum(side) < 1300 for side in sides)
    assert sides[0] != sides[1]
