"""How the image test hands the host's pip settings to the pip inside a build."""

import configparser
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.image.host_pip import configuration_file, effective_settings, named_paths


def test_the_environment_beats_the_command_and_the_command_the_rest() -> None:
    """Of several values for one setting the one that pip itself would follow is taken."""
    values = {":env:": "three", "global": "one", "install": "two"}
    listing = "".join(f"{section}.index-url='https://{value}.example'\n" for section, value in values.items())
    listing += "install.no-index='true'\nglobal.no-index='false'"
    assert effective_settings(listing) == {"index-url": "https://three.example", "no-index": "true"}


def test_only_sources_and_network_are_taken() -> None:
    """What changes how a package is installed, or belongs to another command, stays on the host."""
    listing = "global.user='true'\nglobal.constraint='/c'\ndownload.index-url='https://x.example'\nnonsense"
    assert effective_settings(listing) == {}


@given(
    st.dictionaries(
        st.sampled_from(["cert", "find-links", "index-url", "proxy"]),
        st.lists(st.from_regex(r"[!-$&-~]+", fullmatch=True), min_size=1).map("\n".join),
    )
)
def test_the_file_says_what_the_settings_say(settings: dict[str, str]) -> None:
    """Read as pip reads it, the written file has each setting's words in order."""
    parser = configparser.RawConfigParser()
    parser.read_string(configuration_file(settings))
    read = {key: value.split() for key, value in parser.items("global")}
    assert read == {key: value.split() for key, value in settings.items()}


def test_paths_and_file_urls_are_named() -> None:
    """Files and folders of the host are found in paths and file: URLs; an index comes with the folder beside it."""
    settings = {
        "cert": "/etc/ca.crt",
        "find-links": "/wheels https://x.example/links",
        "extra-index-url": "file:///mirror/simple",
    }
    assert named_paths(settings) == [Path("/etc/ca.crt"), Path("/mirror"), Path("/wheels")]
