"""Task files: what is read, and what is refused with file and line before anything is sent."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.task import TieRule
from evidence.task_files import TasksError, read_tasks
from tests.unit.evidence.published import JEVBENCH, needs
from tests.unit.evidence.task_rows import defined, jevbench, native, strands, typed, write


def test_a_row_that_words_itself_is_a_task(tmp_path: Path) -> None:
    """Without family and type it belongs to `inline` and is a choice; it has no definition to calibrate for."""
    (task,) = read_tasks([write(tmp_path / "own.jsonl", native())]).tasks

    assert (task.id, task.family, task.type, task.gold, task.definition) == ("t1", "inline", "choice", "yes", None)
    assert [option.id for option in task.options] == ["yes", "no"]
    assert task.tie_rule is TieRule.FIRST_DECLARED


def test_a_row_takes_its_wording_from_its_definition(tmp_path: Path) -> None:
    """Question, options and abstain option are the definition's, and the task says which version it was."""
    (task,) = read_tasks([write(tmp_path / "own.jsonl", defined(version="2"))]).tasks

    assert task.question == "Which queue should handle this request?"
    assert (task.family, task.abstain_option) == ("support-route", "none")
    assert task.definition
    assert (task.definition.name, task.definition.version) == ("support-route", "2")


def test_definitions_are_found_in_the_named_folder(tmp_path: Path) -> None:
    """`definitions` beside the file is only where they are looked for otherwise."""
    file = write(tmp_path / "a/own.jsonl", defined())
    moved = (tmp_path / "a/definitions").rename(tmp_path / "elsewhere")

    with pytest.raises(TasksError, match=r"own.jsonl:1: definition: "):
        read_tasks([file])
    assert read_tasks([file], moved).tasks


def test_options_of_jevbench_stand_in_the_order_of_its_labels(tmp_path: Path) -> None:
    """Criteria are sorted in the published file; the labels' order is the authors'. Ties follow its own rule."""
    question = {"type": "choice", "instructions": "Which?", "criteria": {"a": "First", "b": "Second"}}
    row = jevbench(question=question, labels=["b", "a"], expected="a")
    (task,) = read_tasks([write(tmp_path / "jev.jsonl", row)]).tasks

    assert [(option.id, option.description) for option in task.options] == [("b", "Second"), ("a", "First")]
    assert task.tie_rule is TieRule.SMALLEST_LABEL


def test_a_level_of_jevbench_is_its_number_as_text(tmp_path: Path) -> None:
    """`expected` is a number there, labels are texts."""
    (task,) = read_tasks([write(tmp_path / "jev.jsonl", jevbench(expected=2))]).tasks

    assert task.gold == "2"


@pytest.mark.parametrize("criteria", [None, {"true": "It is.", "false": "It is not."}])
def test_a_noul_of_jevbench_has_yes_and_no(tmp_path: Path, criteria: object) -> None:
    """Its criteria are optional and speak of true and false."""
    question = {"type": "noul", "instructions": "Is it?", "criteria": criteria}
    row = jevbench(question=question, labels=["no", "yes"], expected="yes")
    (task,) = read_tasks([write(tmp_path / "jev.jsonl", row)]).tasks

    assert [option.id for option in task.options] == ["no", "yes"]
    assert all(option.description for option in task.options)


def test_labels_made_by_models_are_noted(tmp_path: Path) -> None:
    """The note of that format stands with the file, to be said with every figure; its rows get ids of their lines."""
    labelled = read_tasks([write(tmp_path / "flips.jsonl", strands(), strands(label=0))])

    assert "by models" in labelled.files[0].note
    assert [(task.id, task.gold) for task in labelled.tasks] == [("flips-0001", "true"), ("flips-0002", "false")]


def test_a_truth_of_typed_gguf_is_an_option(tmp_path: Path) -> None:
    """`true` of JSON is the option `true`, in the order of its criteria."""
    (task,) = read_tasks([write(tmp_path / "dev.jsonl", typed())]).tasks

    assert (task.gold, [option.id for option in task.options]) == ("true", ["true", "false"])


def test_a_file_is_known_by_its_content(tmp_path: Path) -> None:
    """Name, rows and SHA-256 are kept, and the note that the caller gives; no path is."""
    file = write(tmp_path / "own.jsonl", native())
    (found,) = read_tasks([file], notes={"own.jsonl": "made in a hurry"}).files

    assert (found.name, found.rows, found.note) == ("own.jsonl", 1, "made in a hurry")
    assert found.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_note_for_no_file_is_refused(tmp_path: Path) -> None:
    """A slip in the name would drop what must be said."""
    with pytest.raises(TasksError, match="which is none of the task files"):
        read_tasks([write(tmp_path / "own.jsonl", native())], notes={"won.jsonl": "by models"})


CANARY = "canary-7c1f"
BROKEN: dict[str, tuple[dict[str, Any] | str, str]] = {
    "an undeclared option": (native(id="t2", gold=CANARY), "gold: is none of the declared options"),
    "an undeclared option of a definition": (defined(id="t2", gold=CANARY), "gold: is none of the declared options"),
    "no gold": (native(id="t2", gold=..., state=CANARY), "gold: Field required"),
    "an unknown key": (native(id="t2", goldd=CANARY), "goldd: Extra inputs are not permitted"),
    "an id twice": (native(state=CANARY), "own.jsonl:1 has it too"),
    "no state": (native(id="t2", state=""), "state: has to be a string, an object or an array, and not empty"),
    "a number as state": (native(id="t2", state=7), "state: has to be"),
    "an unknown version": (defined(id="t2", version="9"), "has no such version of it; versions there: 2"),
    "an unknown definition": (defined(id="t2", definition="other"), "versions there: none"),
    "two wordings": (defined(id="t2", question=CANARY), "has no question, options or abstain_option of its own"),
    "a version of no definition": (native(id="t2", version="1"), "version: belongs to a definition"),
    "no wording": (native(id="t2", options=...), "a definition, or a question and options"),
    "another type than the definition's": (defined(id="t2", type="score"), "type: differs from the definition's"),
    "an option twice": (
        native(id="t2", options=[{"id": "yes", "description": CANARY}] * 2),
        "options: two have the same id",
    ),
    "an undeclared abstain option": (native(id="t2", abstain_option=CANARY), "abstain_option: is no id of an option"),
    "no JSON": ('{"id": "' + CANARY, "is no JSON: Unterminated string"),
    "no object": (f'["{CANARY}"]', "is no JSON object"),
    "a key twice": ('{"id": "a", "id": "b"}', "has a key twice"),
    "a number without end": (json.dumps(native(id="t2", state=[float("nan")])), "has a number that is not finite"),
    "a pit of brackets": ('{"id": "t2", "state": ' + "[" * 100_000, "is nested too deep"),
    "a state that no endpoint takes": (
        json.dumps(native(id="t2", state=CANARY)).replace(f'"{CANARY}"', "[" * 70 + f'"{CANARY}"' + "]" * 70),
        "state: is nested too deep",
    ),
    "half of a surrogate pair": (native(id="t2", state="\ud800"), "is no UTF-8 text"),
}


@pytest.mark.parametrize(("row", "says"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_row_is_refused_with_its_line(tmp_path: Path, row: dict[str, Any] | str, says: str) -> None:
    """File, line, key and rule are named, and nothing of what the row says."""
    file = write(tmp_path / "own.jsonl", native(), row)

    with pytest.raises(TasksError) as refused:
        read_tasks([file])
    assert f"{file}:2: " in str(refused.value)
    assert says in str(refused.value)
    assert CANARY not in str(refused.value)


FOREIGN = {
    "labels without criteria": jevbench(labels=["0", "1"]),
    "a label twice": jevbench(labels=["0", "1", "1"]),
    "criteria of another type": jevbench(question={"type": "noul", "instructions": "?", "criteria": ["a", "b"]}),
    "no question": jevbench(question={"type": "score", "instructions": None, "criteria": ["a", "b", "c"]}),
    "expected nothing declared": jevbench(expected=3),
    "a label that is no index": strands(label=2),
    "a negative label": strands(label=-1),
    "a scale without levels": typed(type="score"),
    "a gold of no option": typed(gold="perhaps"),
    "an unknown key": strands(more=1),
}


@pytest.mark.parametrize("row", FOREIGN.values(), ids=FOREIGN.keys())
def test_a_broken_row_of_another_format_is_refused_too(tmp_path: Path, row: dict[str, Any]) -> None:
    """Figures of a published set are worth nothing if a row of it is guessed."""
    with pytest.raises(TasksError, match=r"foreign.jsonl:1: "):
        read_tasks([write(tmp_path / "foreign.jsonl", row)])


def test_a_file_has_the_format_of_its_first_row(tmp_path: Path) -> None:
    """A row of another one among them is broken: two rules of correctness in one file would be seen by nobody."""
    with pytest.raises(TasksError, match=r"own.jsonl:2: .*labels: Extra inputs"):
        read_tasks([write(tmp_path / "own.jsonl", native(), jevbench(question="Which?", gold="0"))])


def test_every_broken_row_is_told_at_once(tmp_path: Path) -> None:
    """Ten of them with their lines, then how many more."""
    rows = [native(id=f"t{number}", gold="none") for number in range(12)]

    with pytest.raises(TasksError) as refused:
        read_tasks([write(tmp_path / "own.jsonl", *rows)])
    lines = str(refused.value).splitlines()
    assert lines[0].startswith(f"{tmp_path}/own.jsonl:1: ")
    assert (len(lines), lines[-1]) == (11, "and 2 more")


def test_an_id_in_two_files_is_refused(tmp_path: Path) -> None:
    """Ids name what is answered once, in the whole run."""
    files = [write(tmp_path / name, native()) for name in ("a.jsonl", "b.jsonl")]

    with pytest.raises(TasksError, match=r"b.jsonl:1: id: .*a.jsonl:1 has it too"):
        read_tasks(files)


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_a_file_without_rows_is_refused(tmp_path: Path, content: str) -> None:
    """An empty file is a mistake, not a run without tasks; so is one that is not there."""
    (tmp_path / "empty.jsonl").write_text(content)

    with pytest.raises(TasksError, match=r"empty.jsonl: has no rows"):
        read_tasks([tmp_path / "empty.jsonl"])
    with pytest.raises(TasksError, match=r"missing.jsonl: cannot be read"):
        read_tasks([tmp_path / "missing.jsonl"])


def test_a_definition_twice_is_refused(tmp_path: Path) -> None:
    """Which of two wordings a row means would depend on the files' names."""
    file = write(tmp_path / "own.jsonl", defined())
    definition = tmp_path / "definitions/support-route.toml"
    definition.with_name("copy.toml").write_text(definition.read_text())

    with pytest.raises(TasksError, match="is defined in another file too"):
        read_tasks([file])


@given(st.binary(max_size=200) | st.dictionaries(st.text(), st.none() | st.text() | st.integers()).map(json.dumps))
def test_whatever_a_line_holds_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes | str
) -> None:
    """No content of a file ends in anything but tasks or the one exception."""
    file = tmp_path_factory.mktemp("rows") / "any.jsonl"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())

    try:
        labelled = read_tasks([file])
    except TasksError as error:
        assert str(file) in str(error)  # noqa: PT017 - both ends are right
    else:
        assert labelled.tasks


def test_rows_of_the_guide_are_task_rows(tmp_path: Path) -> None:
    """One names a definition of the project's own set, one words itself."""
    root = Path(__file__).parents[3]
    rows = (root / "docs/evidence.md").read_text().partition("<!-- rows -->\n```json\n")[2].partition("```")[0]
    (tmp_path / "guide.jsonl").write_text(rows)

    first, second = read_tasks([tmp_path / "guide.jsonl"], root / "evidence/tasks/definitions").tasks

    assert first.definition
    assert second.definition is None


@needs(JEVBENCH)
def test_the_published_original_tasks_are_read_whole() -> None:
    """72 tasks: 24 noul, 36 choice, 12 score; every label has a description."""
    labelled = read_tasks([JEVBENCH])
    types = [task.type for task in labelled.tasks]

    assert labelled.files[0].sha256 == "5c2414edb3006b8bfcb70fda433f0f9ca015759433849f8d3104328a1f7c4180"
    assert (types.count("noul"), types.count("choice"), types.count("score")) == (24, 36, 12)
