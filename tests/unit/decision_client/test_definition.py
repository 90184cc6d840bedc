"""A definition as it is read: what it takes, and what it refuses by key without repeating a word of it."""

from pathlib import Path

import pytest

from decision_client.definition import read_definition
from decision_client.errors import FileError

TEXT = """
name = "support-route"
version = "1"
question = "Which queue, canary-7f3a?"
abstain_option = "none"
options = [
  { id = "account", description = "Account access, canary-7f3a." },
  { id = "none", description = "None of these." },
]
"""


def _file(folder: Path, *changes: tuple[str, str]) -> Path:
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = folder / "definition.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_definition_is_read_with_its_options_in_order(tmp_path: Path) -> None:
    """It is a choice unless it says otherwise, and what is printed of it is no wording."""
    read = read_definition(_file(tmp_path))
    assert (read.option_ids, read.type, read.abstain_option) == (("account", "none"), "choice", "none")
    assert "canary" not in repr(read)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('abstain_option = "none"', 'abstain_option = "nothing"', "abstain_option: is no id of an option"),
        ('{ id = "none"', '{ id = "account"', "options: two have the same id"),
        ('  { id = "none", description = "None of these." },\n', "", "options: .*at least 2"),
        ('version = "1"\n', "", "version: Field required"),
        ('version = "1"', "version = 1", "version: "),
        ('name = "support-route"', 'name = "Support Route"', "name: "),
        ('version = "1"', 'version = "1"\ntype = "guess"', "type: "),
        ('version = "1"', 'version = "1"\nlabels = []', "labels: Extra inputs"),
        ('description = "None of these."', 'description = ""', "options.1.description: "),
        ("abstain_option =", "abstain_option", "cannot be read"),
    ],
)
def test_definition_that_breaks_a_rule_is_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    """An abstain option that nobody declared would never be recognised, so that the client would act on it."""
    with pytest.raises(FileError, match=says) as refused:
        read_definition(_file(tmp_path, (old, new)))
    assert "canary" not in str(refused.value)
    assert str(refused.value).count("definition.toml: ") == 1
    assert "Value error" not in str(refused.value)


def test_definition_takes_as_many_options_as_there_are_letters_for(tmp_path: Path) -> None:
    """Sixteen, which is what the endpoint takes."""
    more = "".join(f'  {{ id = "o{number}", description = "Another." }},\n' for number in range(14))
    assert len(read_definition(_file(tmp_path, ('  { id = "none"', f'{more}  {{ id = "none"'))).options) == 16
    more += '  { id = "one-more", description = "Another." },\n'
    with pytest.raises(FileError, match=r"options: .*at most 16"):
        read_definition(_file(tmp_path, ('  { id = "none"', f'{more}  {{ id = "none"')))
