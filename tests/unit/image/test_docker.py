"""The stand-in for docker carries out what the build calls, and nothing that it would do differently."""

from pathlib import Path

import pytest

from tests.image import docker
from tests.image.docker import WRONG_CALL
from tests.image.docker_settings import SETTINGS, Settings

HOST = "000000000000.dkr.ecr.us-east-1.amazonaws.com"
BUILD = (
    *("buildx", "build", "--platform", "linux/amd64", "--provenance=false", "--sbom=false"),
    *("--build-arg", f"BASE_IMAGE={HOST}/base@sha256:0", "--label", "semif.content=1"),
    *("--output", f"type=image,name={HOST}/semif:1,oci-mediatypes=false", "--file", "Dockerfile", "."),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with settings, in which nothing was logged in to; buildah is not on the PATH."""
    settings = Settings(str(tmp_path / "storage"), str(tmp_path), "127.0.0.1:1", str(tmp_path / "certificate"), [])
    settings.write(tmp_path / "settings.json")
    monkeypatch.setenv(SETTINGS, str(tmp_path / "settings.json"))
    monkeypatch.setenv("PATH", "")
    return tmp_path


def _status(*arguments: str) -> object:
    with pytest.raises(SystemExit) as ended:
        docker.main(arguments)
    return ended.value.code


@pytest.mark.parametrize(
    "arguments",
    [
        ("pull", "image"),
        ("build", "."),
        ("push", "image", "--all-tags"),
        ("image", "inspect", "--format", "{{.Id}}", "image"),
        ("run", "--rm", "--network", "host", "--entrypoint", "cat", "image", "/file"),
        ("run", "--rm", "--network", "none", "--entrypoint", "sh", "image", "/file"),
    ],
)
def test_another_command_is_a_wrong_call(folder: Path, arguments: tuple[str, ...]) -> None:
    """It ends with docker's own status for that, so that a build which needs more is seen to fail here."""
    assert folder
    assert _status(*arguments) == WRONG_CALL


@pytest.mark.parametrize("left_out", ["--provenance=false", "--sbom=false", ",oci-mediatypes=false"])
def test_a_build_with_attestations_or_other_media_types_is_a_wrong_call(folder: Path, left_out: str) -> None:
    """A real engine would make an index or an OCI manifest, which buildah would hide."""
    assert folder
    arguments = [argument.removesuffix(left_out) for argument in BUILD]

    assert _status(*filter(None, arguments)) == WRONG_CALL


@pytest.mark.parametrize(
    "arguments",
    [BUILD, ("push", f"{HOST}/semif:1"), ("buildx", "imagetools", "inspect", f"{HOST}/base@sha256:0")],
)
def test_a_registry_that_was_not_logged_in_to_gives_and_takes_nothing(
    folder: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """ECR knows no anonymous pull."""
    assert folder
    assert _status(*arguments) == 1
    assert capsys.readouterr().err == f"docker: no basic auth credentials for {HOST}\n"


def test_docker_hub_is_blocked_and_no_short_name_is_looked_up(folder: Path) -> None:
    """Images come from the registries that are named, all of them on this machine."""
    Settings.read(folder / "settings.json").open_storage(HOST)

    text = (folder / "registries.conf").read_text()
    assert "unqualified-search-registries = []" in text
    assert 'location = "docker.io"\nblocked = true' in text
    assert f'prefix = "{HOST}"\nlocation = "127.0.0.1:1"' in text
