"""Rules that every build definition keeps, read from the files that CodeBuild reads."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
BUILDS = ROOT / "builds"
SPECS = sorted(BUILDS.glob("*/buildspec.yml"))
SCRIPTS = sorted(BUILDS.glob("*/*.sh"))


def phases(spec: Path) -> dict[str, dict[str, Any]]:
    """The phases of a buildspec."""
    read: dict[str, dict[str, Any]] = yaml.safe_load(spec.read_text())["phases"]
    return read


def named(path: Path) -> str:
    """A path as the test's name."""
    return path.relative_to(BUILDS).as_posix()


def test_there_are_two_builds() -> None:
    """The rules below have something to hold for."""
    assert [named(spec) for spec in SPECS] == ["decision_image/buildspec.yml", "model_package/buildspec.yml"]
    assert len(SCRIPTS) == 3


@pytest.mark.rule("a failing phase ends the build, nothing runs after it", tool="the buildspecs, read by a test")
@pytest.mark.parametrize("spec", SPECS, ids=named)
def test_every_phase_aborts_the_build(spec: Path) -> None:
    """CodeBuild goes on to later phases unless told otherwise, and runs post_build after a failed build in any case."""
    assert {phase["on-failure"] for phase in phases(spec).values()} == {"ABORT"}
    assert "post_build" not in phases(spec)
    assert all("finally" not in phase for phase in phases(spec).values())
    assert list(phases(spec))[-1] == "build"


@pytest.mark.parametrize("spec", SPECS, ids=named)
def test_every_command_is_one_script_beside_it(spec: Path) -> None:
    """What runs can be read, linted and tested; a list of commands shares no shell options."""
    yaml_text = yaml.safe_load(spec.read_text())
    commands = [command for phase in phases(spec).values() for command in phase["commands"]]

    assert (yaml_text["version"], yaml_text["env"]["shell"]) == (0.2, "bash")
    for command in commands:
        script = re.fullmatch(r"bash (?:builds/decision_image/)?([a-z_]+\.sh)", command)
        assert script is not None
        assert (spec.parent / script.group(1)).is_file()


@pytest.mark.parametrize("script", SCRIPTS, ids=named)
def test_every_script_stops_at_its_first_error(script: Path) -> None:
    """The options stand before the first command, and nothing swallows a failure."""
    lines = [line for line in script.read_text().splitlines() if line and not line.startswith("#")]

    assert re.fullmatch(r"set -E?euo pipefail", lines[0])
    assert not re.search(r"\|\| true|\|\| :|set \+e|exit 0 *#|CONTINUE", script.read_text())


@pytest.mark.parametrize("script", SCRIPTS, ids=named)
def test_no_script_fetches_anything_unpinned(script: Path) -> None:
    """No address, no moving tag, no package without its hash."""
    text = script.read_text()

    assert not re.search(r"https?://|curl|wget|:latest|docker\.io", text)
    assert all("--require-hashes" in line for line in text.splitlines() if "pip" in line and "install" in line)


@pytest.mark.rule("no file that makes an image names Docker Hub", tool="every file of the builds, read by a test")
@pytest.mark.parametrize("folder", ["builds", "container", "config", "constructs_lib", "handlers", "stacks"])
def test_nothing_comes_from_docker_hub(folder: str) -> None:
    """Its anonymous limit is shared by everybody behind one address, and nothing there is pinned by us."""
    files = [path for path in (ROOT / folder).rglob("*") if path.is_file() and path.suffix != ".pyc"]
    named = re.compile(rb"(?i)docker\.io|registry-1\.docker|hub\.docker|index\.docker|docker\.com/")

    assert files
    assert [path for path in files if named.search(path.read_bytes())] == []


def test_the_image_is_built_without_attestations_as_one_docker_manifest_and_pushed_last() -> None:
    """Options that a newer engine would turn on by itself stand there, and after the push nothing is made any more."""
    lines = (BUILDS / "decision_image/build_image.sh").read_text().splitlines()
    text = "\n".join(lines)
    (push,) = [number for number, line in enumerate(lines) if line.startswith("docker push ")]

    assert all(re.search(option, text) for option in ("--provenance=false", "--sbom=false", ",oci-mediatypes=false"))
    assert not [line for line in lines[push + 1 :] if re.search(r"buildx build|docker run|s3 cp|store_wheels", line)]


def test_the_publishing_script_ends_with_the_publishing() -> None:
    """Nothing runs after package_model.py, whose last act is the publishing."""
    assert (BUILDS / "model_package/package.sh").read_text().splitlines()[-1].endswith("package_model.py")


def test_requirements_are_hashed_and_complete() -> None:
    """Every requirement is pinned to a version and its files' digests."""
    lines = (BUILDS / "model_package/requirements.txt").read_text().splitlines()
    pinned = [line for line in lines if line and not line.startswith((" ", "#"))]

    assert pinned
    assert all(re.match(r"[a-z0-9-]+==[0-9a-z.]+ ", line) for line in pinned)
    assert sum("--hash=sha256:" in line for line in lines) >= len(pinned)


@pytest.mark.rule(
    "the image is built on its pinned base alone: no public registry", tool="the Dockerfile, read by a test"
)
def test_the_image_stands_on_its_pinned_base_alone() -> None:
    """Every stage begins with the base that the build passes by digest, or with an earlier stage."""
    text = (ROOT / "container/Dockerfile").read_text()
    stages = re.findall(r"(?mi)^FROM +(?:--platform=\S+ +)?(\S+)(?: +AS +(\S+))?", text)
    known = {"${BASE_IMAGE}", "$BASE_IMAGE", *(name for _, name in stages if name)}

    assert not re.search(r"(?im)^# *syntax *=", text), "a frontend named there is fetched from Docker Hub"
    assert stages
    assert {image for image, _ in stages} <= known
    assert re.search(r"(?m)^ARG BASE_IMAGE$", text), "a default would be a base that nobody pinned"
