"""The image build's script against a docker and an AWS command line that only remember and answer."""

import json
import re
from pathlib import Path

import pytest

from tests.unit.builds.build_machine import BASE, DIGEST, OURS, TAG, Machine


def test_an_image_is_built_on_its_pinned_base_and_pushed_by_its_content_tag(machine: Machine) -> None:
    """Both registries are logged in to, one manifest of docker's type is asked for, and only our tag is pushed."""
    code, message, docker = machine.run()

    build = next(call for call in docker if call.startswith("docker buildx build"))
    assert (code, message) == (0, f"{OURS}/semif-decision:{TAG} is published as {DIGEST}.")
    assert [call.split()[-1] for call in docker if " login " in call] == [BASE, OURS]
    assert f"BASE_IMAGE={BASE}/llama-cpp@sha256:{'b' * 64}" in build
    for part in ("--platform linux/amd64", "--provenance=false", "--sbom=false", "oci-mediatypes=false"):
        assert part in build
    assert f"--label semif.content={TAG}" in build
    assert [call for call in docker if " push " in call] == [f"docker push {OURS}/semif-decision:{TAG}"]
    assert "latest" not in "".join(docker)


def test_each_registry_gets_a_token_of_its_own_region(machine: Machine) -> None:
    """The base may lie in another region than ours."""
    machine.run()

    calls = machine.calls.read_text()
    assert "get-login-password --region eu-central-1" in calls
    assert "get-login-password --region eu-west-1" in calls
    assert "batch-get-image --region eu-west-1 --repository-name semif-decision" in calls


def test_the_list_of_wheels_is_stored_before_the_image_is_pushed(machine: Machine) -> None:
    """It lies where the image's tag leads to, and the push stays the last thing that is done."""
    machine.run()

    calls = machine.calls.read_text().splitlines()
    stored = f"s3://semif-artifacts/reports/decision-image/{TAG}/wheels.json"
    (at,) = [number for number, call in enumerate(calls) if stored in call]
    assert at < calls.index(f"docker push {OURS}/semif-decision:{TAG}")
    assert json.loads(Path(f"{machine.calls}.wheels").read_text()) == []


def test_a_base_that_is_not_there_is_named(machine: Machine) -> None:
    """The sentence has the digest, and nothing is built."""
    machine.answer("absent", "")

    code, message, docker = machine.run()

    assert code == 1
    assert message == f"The base image {BASE}/llama-cpp@sha256:{'b' * 64} is not there, or this build may not pull it."
    assert not [call for call in docker if call.startswith("docker buildx build")]


def test_an_image_for_graviton_is_built_for_its_platform(machine: Machine) -> None:
    """The platform is a variable, of what is asked for and of what is checked."""
    machine.variables["IMAGE_PLATFORM"] = "linux/arm64"
    machine.answer("built", f"linux/arm64 {TAG}")

    code, _, docker = machine.run()

    assert code == 0
    assert "--platform linux/arm64" in next(call for call in docker if call.startswith("docker buildx build"))


def test_an_image_for_another_platform_is_not_pushed(machine: Machine) -> None:
    """A base of another architecture is found before the push."""
    machine.answer("built", f"linux/arm64 {TAG}")

    code, message, docker = machine.run()

    assert (code, message) == (1, f"The built image is linux/arm64 {TAG}, wanted is linux/amd64 {TAG}.")
    assert not [call for call in docker if " push " in call]


@pytest.mark.parametrize(
    ("failing", "sentence"),
    [("broken", "The image could not be built: .*self-test"), ("denied", f"{OURS} could not be asked for {OURS}/")],
)
def test_a_failing_command_ends_the_build_with_its_name(machine: Machine, failing: str, sentence: str) -> None:
    """Nothing is pushed, and the report says what failed."""
    machine.answer(failing, "")

    code, message, docker = machine.run()

    assert code != 0
    assert re.match(sentence, message, re.DOTALL)
    assert not [call for call in docker if " push " in call]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BASE_DIGEST", "server-sagemaker-cpu-v1"),
        ("BASE_DIGEST", ""),
        ("BASE_REPOSITORY_URI", "public.ecr.aws/deep-learning-containers/llama-cpp"),
        ("BASE_REGISTRY_ACCOUNT", "111122223333"),
        ("IMAGE_TAG", "latest"),
        ("IMAGE_PLATFORM", "linux/riscv64"),
        ("IMAGE_REPOSITORY_URI", "semif-decision"),
    ],
)
def test_a_wrong_variable_is_refused_by_name(machine: Machine, name: str, value: str) -> None:
    """The build stops before it asks docker or ECR for anything."""
    machine.variables[name] = value

    code, message, docker = machine.run()

    assert (code, docker) == (1, [])
    assert message.startswith(f"{name}:")
