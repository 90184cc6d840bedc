"""How much is asked at a moment."""

from evidence.load import Load
from tests.unit.evidence.fake_endpoint import Clock


def test_what_was_begun_a_minute_ago_is_no_longer_counted() -> None:
    """Sixty seconds, to the second."""
    clock = Clock()
    load = Load(clock)
    counted = []
    for _ in range(14):
        with load.request():
            pass
        counted.append(load.begun_in_a_minute())
        clock.sleep(10)

    assert counted == [1, 2, 3, 4, 5, *[6] * 9]
    assert load.outstanding() == 0
