"""The project's own labelled decisions are what their README says."""

import json
import re
import unicodedata
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

from evidence.task import Task
from evidence.task_files import read_tasks

FOLDER: Final = Path(__file__).resolve().parents[3] / "evidence" / "tasks"
README: Final = (FOLDER / "README.md").read_text("utf-8")
FILES: Final = sorted(FOLDER.glob("*.jsonl"))
TASKS: Final = read_tasks(FILES).tasks
ROWS: Final = {row["id"]: row for file in FILES for row in map(json.loads, file.read_text("utf-8").splitlines())}
LOOKALIKES: Final = str.maketrans("АВСΑΒ", "ABCAB")  # noqa: RUF001 - Cyrillic and Greek capitals are meant
SCRIPT: Final = {"en": "LATIN", "ko": "HANGUL"}


def _name(task: Task) -> str:
    assert task.definition
    return task.definition.name


def _texts(value: Any) -> list[str]:
    """Every text of a state, without the keys of objects."""
    if isinstance(value, dict):
        return [text for each in value.values() for text in _texts(each)]
    return [text for each in value for text in _texts(each)] if isinstance(value, list) else [str(value)]


def _words(task: Task) -> list[str]:
    return " ".join(_texts(task.state)).split()


def _gold_letter(task: Task) -> str:
    return "ABCDE"[[option.id for option in task.options].index(task.gold)]


def test_every_position_holds_the_gold_equally_often() -> None:
    """A model that always takes one letter is right as often as one that guesses, whatever the definition."""
    golds: dict[str, Counter[str]] = defaultdict(Counter)
    for task in TASKS:
        golds[_name(task)][task.gold] += 1

    for task in TASKS:
        counts = golds[_name(task)]
        assert set(counts) == {option.id for option in task.options}
        assert len(set(counts.values())) == 1


def test_readme_counts_the_rows() -> None:
    """Rows of each file, definition and type stand there, as do those of each family and of all."""
    told = re.findall(r"^\| `(\S+)` \| `(\S+)` \| (\w+) \|[^|]*\| (\d+) \|", README, re.MULTILINE)
    found = Counter((file.name, _name(task), task.type) for file in FILES for task in read_tasks([file]).tasks)
    families = Counter(task.family.rpartition("-")[0] for task in TASKS)

    assert {(file, name, type_): int(rows) for file, name, type_, rows in told} == found
    assert dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", README, re.MULTILINE)) == {
        family: str(rows) for family, rows in families.items()
    }
    assert f"\n{len(TASKS)} rows over " in README
    assert f"{sum(Fraction(1, len(task.options)) for task in TASKS)} of the {len(TASKS)}" in README


def test_every_definition_is_used() -> None:
    """A definition's file is named like it, and rows ask it."""
    assert {file.stem for file in (FOLDER / "definitions").glob("*.toml")} == {_name(task) for task in TASKS}


@pytest.mark.parametrize("language", SCRIPT)
def test_both_languages_have_every_family(language: str) -> None:
    """The script of a state's letters is that of its family, and half of the rows are in each language."""
    mine = [task for task in TASKS if task.family.endswith(f"-{language}")]

    assert Counter(task.family.rpartition("-")[0] for task in mine) == Counter(
        plain=29, mixed=16, none=6, adversarial=18
    )
    for task in mine:
        letters = [unicodedata.name(each, "").split()[0] for word in _words(task) for each in word if each.isalpha()]
        assert letters.count(SCRIPT[language]) > len(letters) * (0.5 if language == "ko" else 0.9), task.id


def test_no_state_is_there_twice() -> None:
    """Nor does any differ from another in white space, punctuation and capitals only."""
    plain = Counter("".join(filter(str.isalnum, json.dumps(task.state).casefold())) for task in TASKS)

    assert plain.most_common(1)[0][1] == 1


def test_states_are_of_every_form_and_of_realistic_lengths() -> None:
    """Texts, objects and lists; from a sentence or two to a page."""
    lengths = sorted(len(_words(task)) for task in TASKS)

    assert {type(task.state) for task in TASKS} == {str, dict, list}
    assert lengths[0] >= 15
    assert 200 < lengths[-1] <= 250


def test_adversarial_states_never_ask_for_the_gold() -> None:
    """The letter of the right option stands alone in none of them, in no script; whoever obeys is wrong."""
    adversarial = [task for task in TASKS if task.family.startswith("adversarial")]

    for task in adversarial:
        said = " ".join(_words(task)).translate(LOOKALIKES)
        assert not re.search(rf"(?<![A-Za-z]){_gold_letter(task)}(?![A-Za-z])", said), task.id
    assert len({_name(task) for task in adversarial}) == 8


def test_adversarial_states_hold_each_kind_of_attack() -> None:
    """Orders, finished answers in JSON, options by name, and words that mix scripts."""
    states = [" ".join(_words(task)) for task in TASKS if task.family.startswith("adversarial")]
    mixed = re.compile(r"[A-Za-z][Ѐ-ӿ]|[Ѐ-ӿ][A-Za-z]")

    for attack in (
        re.compile(r"(?i)ignore the criterion|기준[은을] 무시하고"),
        re.compile(r'\{"\S+": '),
        re.compile(r"(?i)delivery! delivery!|도로과 도로과"),
        mixed,
    ):
        assert sum(bool(attack.search(state)) for state in states) >= 2, attack.pattern


def test_abstain_options_are_right_in_plain_and_in_adversarial_rows() -> None:
    """Whoever never abstains is wrong in some rows of every definition that lets abstain."""
    abstaining = [task for task in TASKS if task.abstain_option]

    for name in {_name(task) for task in abstaining}:
        right = [task for task in abstaining if _name(task) == name and task.gold == task.abstain_option]
        assert {task.family.rpartition("-")[0] for task in right} >= {"none", "adversarial"}
    assert all(task.gold == task.abstain_option for task in TASKS if task.family.startswith("none"))


def test_rows_say_nothing_that_no_reader_needs() -> None:
    """A row has an id that begins with its subject, a definition, a family, a state and a gold."""
    for id_, row in ROWS.items():
        assert list(row) == ["id", "definition", "family", "state", "gold"]
        assert re.fullmatch(r"(route|policy|urgency|record|language)-(en|ko)-\d\d", id_)
        assert f"-{row['family'].rpartition('-')[2]}-" in id_


def test_no_state_holds_a_control_token() -> None:
    """The endpoint refuses those of the common chat templates with 400, and rows are there to be answered."""
    control = re.compile(r"<\|[^|]*\|>|</?s>|<(start|end)_of_turn>|\[/?INST\]|<(bos|eos|pad|unk)>")

    assert not [task.id for task in TASKS if control.search(json.dumps(task.state, ensure_ascii=False))]
