"""What the image test refuses in a Dockerfile before anything is built."""

import pytest

from config.content import CONTAINER_DIRECTORY
from tests.image.dockerfile import Instruction, broken_rules, instructions

HASHED = "python3 -m pip install --require-hashes --only-binary=:all: -r requirements.txt"


def _on_the_base(*lines: str) -> str:
    return "\n".join(("ARG BASE_IMAGE", "FROM ${BASE_IMAGE}", *lines))


def test_instructions_are_joined_and_comments_dropped() -> None:
    """A continued line is one instruction, its flags apart, and a comment inside it is none of it."""
    text = "# first\ncopy --chown=0:0 a \\\n  # inside\n  b /c/\n\nRUN x"
    copied = Instruction("COPY", ("--chown=0:0",), "a b /c/")
    assert list(instructions(text)) == [copied, Instruction("RUN", (), "x")]


def test_the_real_dockerfile_breaks_no_rule() -> None:
    """The decision image's Dockerfile takes only files of its folder and hashed wheels."""
    assert broken_rules((CONTAINER_DIRECTORY / "Dockerfile").read_text("utf-8")) == []


def test_a_stage_of_the_same_build_may_be_copied_from() -> None:
    """Files may come from an earlier stage that starts from the pinned base."""
    text = _on_the_base("COPY semif /semif").replace("${BASE_IMAGE}", "${BASE_IMAGE} AS wheels")
    assert broken_rules(f"{text}\nFROM ${{BASE_IMAGE}}\nCOPY --from=wheels /semif /semif") == []


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("FROM debian:12", "another image"),
        ("ADD semif /semif", "only COPY"),
        ("ADD https://example.com/x /x", "only COPY"),
        ("COPY --from=debian:12 /bin/sh /sh", "no stage"),
        ("COPY ../config /config", "outside the folder"),
        ('COPY ["semif/../../config", "/config"]', "outside the folder"),
        ("RUN --mount=type=bind,from=debian:12,target=/m cp /m/bin/sh /sh", "another image"),
        ("RUN dnf install -y numactl", "calls dnf"),
        ("RUN gcc -o x x.c", "calls gcc"),
        ("RUN python3 -m pip install git+ssh://example.com/x", "no hashed wheel"),
        ("RUN curl -O example.com/x", "no hashed wheel"),
        (f"RUN {HASHED.replace(' --require-hashes', '')}", "--require-hashes"),
        (f"RUN {HASHED.replace(' --only-binary=:all:', '')}", "--only-binary"),
        (f"RUN {HASHED} && pip3 install numpy", "--require-hashes"),
        ("RUN <<END", "here-document"),
    ],
)
def test_an_instruction_that_takes_more_than_the_folder_is_named(line: str, rule: str) -> None:
    """Each way to get something else into the image is refused with the instruction that does it."""
    sentences = broken_rules(_on_the_base(line))
    assert any(rule in sentence and line.split(maxsplit=1)[0] in sentence for sentence in sentences)


def test_hashed_wheels_may_be_installed() -> None:
    """The one kind of installation that is wanted breaks no rule."""
    assert broken_rules(_on_the_base(f"RUN {HASHED}")) == []
