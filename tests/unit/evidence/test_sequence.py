"""Fixed-sequence testing: what is certified, and how often that is false."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from decision_client.identity import Runtime
from evidence.calibration.cases import Case
from evidence.calibration.rules import ActRule, ReviewRule, Target
from evidence.calibration.sequence import LATTICE, fixed_sequence, grid, try_threshold

CPU, GPU = (Runtime(backend=name, layers_offloaded=0, serving_path="canonical") for name in ("cpu", "gpu"))
RULE = ActRule(Target(0.1, 0.95), 0.5, 0.0)


def _case(probability: float, *, correct: bool = True, mass: float = 0.9, abstains: bool = False) -> Case:
    return Case(probability, 2 * probability - 1, mass, correct, abstains)


CASES = st.lists(
    st.builds(_case, st.floats(0.5, 1), correct=st.booleans(), mass=st.floats(0, 1), abstains=st.booleans()),
    max_size=120,
)


@given(CASES)
def test_sequence_stops_at_the_first_threshold_that_is_not_shown(cases: list[Case]) -> None:
    """All before the last are shown, from the most conservative on, and only the last may not be."""
    found = fixed_sequence(RULE, {CPU: cases}, LATTICE)
    assert [each.threshold for each in found.tested] == list(LATTICE[: len(found.tested)])
    assert all(each.shown for each in found.tested[:-1])
    assert found.tested[-1].threshold == LATTICE[-1] or not found.tested[-1].shown
    assert (found.certified is None) == (not found.shown)


def test_sequence_certifies_the_largest_coverage_by_its_highest_threshold() -> None:
    """Of 60 right answers at 0.9 all are covered, and a threshold below them is not taken though it covers the same."""
    found = fixed_sequence(RULE, {CPU: [_case(0.9)] * 60}, LATTICE[10:])
    assert found.certified == 0.9
    assert found.shown == LATTICE[10:]
    assert found.at(0.9)[0].covered == 60


def test_sequence_counts_no_abstention_and_no_answer_of_little_mass() -> None:
    """Neither is acted upon, so neither is covered nor a risk."""
    outside = [_case(0.99, correct=False, abstains=True)] * 20 + [_case(0.99, correct=False, mass=0.1)] * 20
    found = fixed_sequence(RULE, {CPU: [*[_case(0.99)] * 29, *outside]}, (0.99,))
    assert (found.certified, found.tested[0].covered, found.tested[0].wrong) == (0.99, 29, 0)


def test_sequence_counts_no_answer_of_little_margin() -> None:
    """The client has it reviewed, so it is none of what is acted upon, and one of what a person sees."""
    close = Case(0.5, 0.05, 0.9, correct=False, abstains=False)
    rule = ActRule(Target(0.1, 0.95), 0.0, 0.1)
    (acted,) = try_threshold(rule, {CPU: [_case(0.9), close, replace(close, margin=0.1)]}, 0.5)
    assert (acted.covered, acted.wrong) == (2, 1)
    (seen,) = try_threshold(ReviewRule(Target(0.5, 0.95)), {CPU: [close]}, 0.5)
    assert (seen.covered, seen.wrong) == (1, 1)


def test_sequence_of_suggestions_counts_answers_of_little_mass() -> None:
    """A person sees them, so they are part of the review threshold's risk; abstentions are not."""
    rule = ReviewRule(Target(0.5, 0.95))
    seen = [_case(0.6, mass=0.1), _case(0.6, correct=False, mass=0.1), _case(0.6, abstains=True), _case(0.4)]
    (found,) = try_threshold(rule, {CPU: seen}, 0.5)
    assert (found.covered, found.wrong) == (2, 1)


def test_sequence_needs_every_runtime_to_pass_alone() -> None:
    """Many answers of one pool member do not speak for another with few, or with errors."""
    good, few, bad = [_case(0.99)] * 200, [_case(0.99)] * 28, [_case(0.99, correct=False)] * 40
    assert fixed_sequence(RULE, {CPU: good, GPU: good}, (0.99,)).certified == 0.99
    alone = fixed_sequence(RULE, {CPU: good, GPU: few}, (0.99,))
    assert (alone.certified, alone.shown) == (None, ())
    assert fixed_sequence(RULE, {CPU: good, GPU: bad}, (0.99,)).certified is None
    assert fixed_sequence(RULE, {CPU: good, GPU: []}, (0.99,)).certified is None
    assert fixed_sequence(RULE, {}, (0.99,)).certified is None


@settings(max_examples=30)
@given(fitting=CASES, certifying=CASES)
def test_grid_does_not_look_at_the_certifying_answers(fitting: list[Case], certifying: list[Case]) -> None:
    """Other answers in the same number give the same grid, the lattice's end."""
    found = grid(RULE, {CPU: fitting}, {CPU: certifying})
    assert found == grid(RULE, {CPU: fitting}, {CPU: [_case(0.5, correct=False)] * len(certifying)})
    assert found == LATTICE[-len(found) :]


def test_grid_begins_where_one_error_is_affordable() -> None:
    """With a tenth of the fitting answers at 0.99, 60 of 600 are to be expected there, which is enough; 45 are not."""
    fitting = [*[_case(0.99)] * 10, *[_case(0.7)] * 90]
    assert grid(RULE, {CPU: fitting}, {CPU: [_case(0.5)] * 600})[0] == 0.99
    assert grid(RULE, {CPU: fitting}, {CPU: [_case(0.5)] * 450})[0] == 0.7
    assert grid(RULE, {CPU: fitting}, {CPU: [_case(0.5)] * 100})[0] == 0.7
    assert grid(RULE, {CPU: fitting}, {CPU: [_case(0.5)] * 10})[0] == 0.7


def test_grid_begins_where_one_error_is_affordable_on_every_runtime() -> None:
    """A pool member with few answers, or whose scores are lower, decides: its test would end the sequence."""
    fitting = [*[_case(0.99)] * 10, *[_case(0.7)] * 90]
    many, few = [_case(0.5)] * 600, [_case(0.5)] * 100
    assert grid(RULE, {CPU: fitting, GPU: fitting}, {CPU: many, GPU: many})[0] == 0.99
    assert grid(RULE, {CPU: fitting, GPU: fitting}, {CPU: many, GPU: few})[0] == 0.7
    assert grid(RULE, {CPU: fitting, GPU: [_case(0.7)] * 100}, {CPU: many, GPU: many})[0] == 0.7


def test_grid_of_answers_that_no_threshold_covers_is_the_last_threshold() -> None:
    """That nothing is covered there says that probability is not the reason."""
    nothing = {CPU: [_case(0.99, mass=0.1)] * 50}
    assert grid(RULE, nothing, nothing) == LATTICE[-1:]
    assert grid(RULE, {}, nothing) == LATTICE[-1:]
