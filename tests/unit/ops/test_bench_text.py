"""The figures of a run as lines of text."""

from evidence.summary import summarize
from ops.evidence.bench_text import lines
from tests.unit.evidence import synthetic


def test_mixed_identities_are_said_and_not_averaged() -> None:
    """Each identity has its own figures under the phase."""
    other = synthetic.identity(backend="cuda")
    answers = [synthetic.answered("t1"), synthetic.answered("t2", identity=other.sha256)]
    told = "\n".join(lines(summarize(synthetic.results(answers, synthetic.identity(), other))))

    assert "MIXED: 2 identities answered" in told
    assert told.count("accuracy    1 of 1") == 2
    assert "accuracy    2 of 2" not in told


def test_what_is_as_in_the_first_phase_is_not_repeated() -> None:
    """Accuracy by type and family stands once if every phase has the same, and again where one differs."""
    answers = [synthetic.answered("t1", phase=phase) for phase in ("sequential", "closed-4")]
    answers.append(synthetic.answered("t1", phase="closed-16", gold="b"))

    told = "\n".join(lines(summarize(synthetic.results(answers))))

    assert told.count("by type and family as in sequential") == 1
    assert told.count("family    routing") == 2


def test_accuracy_by_file_stands_where_there_are_several() -> None:
    """One file alone is the run itself."""
    answers = [synthetic.answered(f"t{name}", file=name) for name in ("a.jsonl", "b.jsonl")]

    one, two = ("\n".join(lines(summarize(synthetic.results(each)))) for each in (answers[:1], answers))

    assert "file      b.jsonl" in two
    assert "file      a.jsonl" not in one


def test_a_name_that_a_terminal_would_obey_is_quoted() -> None:
    """Families and errors come from files."""
    told = "\n".join(lines(summarize(synthetic.results([synthetic.answered("t1", family="\x1b[2Jgone")]))))

    assert "\x1b" not in told
