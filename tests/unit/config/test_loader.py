from pathlib import Path

import pytest

from config.loader import environment_names, load
from config.rules import ConfigurationError
from tests.unit.config.environment_files import OPEN_DIGEST, TEST_DIGEST, changed, refusal


@pytest.mark.parametrize("name", ["dev", "local", "prod"])
def test_environment_in_the_repository_loads_under_its_own_name(name: str) -> None:
    """Each of the three files is complete and says its own name."""
    assert name == load(name).environment.name


def test_example_of_graviton_asks_for_the_digests_that_it_leaves_open() -> None:
    """Nobody deploys an image that nobody looked up: the sentences name both keys, the image, and where to read how."""
    with pytest.raises(ConfigurationError) as caught:
        load("graviton")

    for line, key in zip(str(caught.value).splitlines(), ("chat", "decision_base"), strict=True):
        assert f"graviton.toml: images.{key}.digest: must be a digest, sha256:" in line
        assert "llama-cpp-arm64:server-sagemaker-cpu-v1, see docs/operations.md" in line


def test_example_of_graviton_is_complete_but_for_its_digests(tmp_path: Path) -> None:
    """With a digest filled in, it loads as it stands."""
    settings = load("graviton", changed(tmp_path, "graviton", (OPEN_DIGEST, TEST_DIGEST)))

    assert [settings.chat.instance_type, settings.decision.instance_type] == ["ml.c8g.2xlarge", "ml.c7g.8xlarge"]


@pytest.mark.parametrize("name", [None, "", "staging", "../prod", "DEV"])
def test_unknown_environment_is_answered_with_the_known_ones(name: str | None) -> None:
    """Whoever chooses no environment, or one that does not exist, reads which there are, in one sentence."""
    with pytest.raises(ConfigurationError, match=r"^[^\n]+ one of dev, graviton, local, prod\.$"):
        load(name)


def test_known_environments_are_those_of_the_given_folder(tmp_path: Path) -> None:
    """A folder of one's own brings environments of one's own."""
    changed(tmp_path, "dev")

    assert environment_names(tmp_path) == ("dev",)


def test_misspelt_key_is_refused_with_the_key_it_resembles(tmp_path: Path) -> None:
    """An unknown key is no silent default: it is named, with its table and the likely word."""
    sentence = refusal(tmp_path, "dev", ("threads = 32", "thread = 32"))

    assert "dev.toml: decision.thread: is not a known key; did you mean threads." in sentence
    assert "dev.toml: decision.threads: is required and missing." in sentence


def test_missing_table_is_refused_by_name(tmp_path: Path) -> None:
    """There is no base file to fall back on."""
    sentence = refusal(tmp_path, "dev", ("[protection]", "[protections]"))

    assert "dev.toml: protection: is required and missing." in sentence


def test_text_for_a_number_is_refused(tmp_path: Path) -> None:
    """Types are those of TOML; nothing is converted."""
    assert "model.bytes" in refusal(tmp_path, "dev", ("bytes = 3013027808", 'bytes = "3013027808"'))


def test_file_that_names_another_environment_is_refused(tmp_path: Path) -> None:
    """A copied file whose name was not changed cannot deploy over the original."""
    sentence = refusal(tmp_path, "dev", ('name = "dev"', 'name = "prod"'))

    assert "environment.name: must be the file's name, dev, not 'prod'." in sentence


def test_broken_toml_is_refused_with_its_place(tmp_path: Path) -> None:
    """The reader's own words say where."""
    assert "is not valid TOML" in refusal(tmp_path, "dev", ("[model]", "[model"))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (b"\xff", "is not valid TOML"),
        (b"a = " + b"[" * 9000, "is not valid TOML"),
        (b"a = " + b"9" * 9000, "is not valid TOML"),
        (b"environment = 1", "environment: must be a table"),
        (b'"a\\nb" = 1', "'a\\nb': is not a known key"),
    ],
)
def test_hostile_file_is_refused_in_sentences(tmp_path: Path, text: bytes, rule: str) -> None:
    """Whatever bytes a file holds, the answer names it and is no traceback."""
    (tmp_path / "dev.toml").write_bytes(text)

    with pytest.raises(ConfigurationError) as caught:
        load("dev", tmp_path)

    assert rule in str(caught.value)
    assert all(line.startswith(f"{tmp_path}/dev.toml: ") for line in str(caught.value).splitlines())


def test_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """A folder of that name is no environment."""
    (tmp_path / "dev.toml").mkdir()

    with pytest.raises(ConfigurationError, match=r"dev\.toml: cannot be read: Is a directory\."):
        load("dev", tmp_path)


@pytest.mark.parametrize("folder", ["", "missing"])
def test_folder_without_environments_is_named(tmp_path: Path, folder: str) -> None:
    """A mistyped environments_directory is the mistake that is reported, not the environment's name."""
    with pytest.raises(ConfigurationError, match=rf"^environments_directory: {tmp_path}.* holds no environment file"):
        load("dev", tmp_path / folder)


@pytest.mark.parametrize("table", ["[model]", "[model.source]"])
def test_unknown_key_is_named_even_if_it_is_called_as_a_kind_of_source(tmp_path: Path, table: str) -> None:
    """The path in the sentence is that of the file."""
    sentence = refusal(tmp_path, "dev", (table, f"{table}\ns3 = 1"))

    assert f"dev.toml: {table.strip('[]')}.s3: is not a known key." in sentence


def test_source_without_kind_is_refused_by_that_key(tmp_path: Path) -> None:
    """The kind decides which keys there are."""
    sentence = refusal(tmp_path, "dev", ('kind = "huggingface"', ""))

    assert "dev.toml: model.source: kind is required and missing." in sentence


def test_unknown_kind_of_source_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    """A model comes from the hub or from S3."""
    sentence = refusal(tmp_path, "dev", ('kind = "huggingface"', 'kind = "ftp"'))

    assert "model.source" in sentence
    assert "'huggingface', 's3'" in sentence


def test_settings_cannot_be_changed() -> None:
    """What was checked stays what it was."""
    with pytest.raises(ValueError, match="frozen"):
        load("dev").chat.context_tokens = 1  # type: ignore[misc] # the point of the test
