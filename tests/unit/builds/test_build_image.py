"""The image build's script against a docker and an AWS command line that only remember and answer."""

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
BASE, OURS = "763104351884.dkr.ecr.eu-central-1.amazonaws.com", "111122223333.dkr.ecr.eu-west-1.amazonaws.com"
TAG, DIGEST = "0123456789abcdef" * 4, "sha256:" + "d" * 64
DOCKER_TYPE = "application/vnd.docker.distribution.manifest.v2+json"
STORED, NONE = f"{DIGEST}\t{DOCKER_TYPE}", "None"

AWS = """#!/usr/bin/env bash
echo "aws $*" >> "$CALLS"
case "$1 $2" in
  "ecr batch-get-image")
    [[ ! -e $CALLS.denied ]] || exit 254
    head -n1 "$CALLS.stored"
    [[ $(wc -l < "$CALLS.stored") == 1 ]] || sed -i 1d "$CALLS.stored" ;;
  "ecr get-login-password") echo secret ;;
  "s3 cp") case "$*" in *wheels.json*) cp wheels.json "$CALLS.wheels" ;; *) cat > "$CALLS.report" ;; esac ;;
esac
"""
DOCKER = """#!/usr/bin/env bash
set -e
echo "docker $*" >> "$CALLS"
case "$1 $2" in
  "login --username") [[ $(cat) == secret ]] ;;
  "buildx build") [[ ! -e $CALLS.broken ]] ;;
  "buildx imagetools")
    [[ ! -e $CALLS.absent || $* == *json* ]]
    echo "{\\"os\\": \\"linux\\", \\"config\\": {\\"Labels\\": {\\"semif.content\\": \\"$(cat "$CALLS.label")\\"}}}" ;;
  "run --rm") echo "[]" ;;
  "push $IMAGE_REPOSITORY_URI:$IMAGE_TAG") [[ ! -e $CALLS.taken ]] ;;
  "image inspect") case "$*" in *RepoDigests*) cat "$CALLS.pushed" ;; *) cat "$CALLS.built" ;; esac ;;
esac
"""
SLEEP = '#!/usr/bin/env bash\necho "sleep $*" >> "$CALLS"\n'


class Machine:
    """A PATH with our commands first, and what they remember."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.calls = folder, folder / "calls"
        self.variables = {
            "PATH": f"{folder}:/usr/bin:/bin",
            "CALLS": str(self.calls),
            "BASE_REPOSITORY_URI": f"{BASE}/llama-cpp",
            "BASE_DIGEST": "sha256:" + "b" * 64,
            "BASE_REGISTRY_ACCOUNT": "763104351884",
            "IMAGE_REPOSITORY_URI": f"{OURS}/semif-decision",
            "IMAGE_TAG": TAG,
            "IMAGE_PLATFORM": "linux/amd64",
            "ARTIFACT_BUCKET": "semif-artifacts",
            "CODEBUILD_BUILD_ID": "decision-image:42",
        }
        for name, text in (("aws", AWS), ("docker", DOCKER), ("sleep", SLEEP)):
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        self.answer("stored", NONE, STORED)
        self.answer("built", f"linux/amd64 {TAG}")
        self.answer("label", TAG)
        self.answer("pushed", f"{OURS}/other@sha256:e {OURS}/semif-decision@{DIGEST}")

    def answer(self, name: str, *lines: str) -> None:
        """Prepare what a command answers, one line a call, the last one again and again."""
        Path(f"{self.calls}.{name}").write_text("".join(f"{line}\n" for line in lines))

    def run(self) -> tuple[int, str, list[str]]:
        """Run the script; return its code, the message of its report, and the calls."""
        ended = subprocess.run(
            ["bash", ROOT / "builds/decision_image/build_image.sh"],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
        )
        report = json.loads(Path(f"{self.calls}.report").read_text())
        calls = self.calls.read_text().splitlines()
        assert report["status"] == ("succeeded" if ended.returncode == 0 else "failed"), ended.stdout + ended.stderr
        assert "s3://semif-artifacts/reports/decision-image/42.json" in calls[-1]
        assert "secret" not in ended.stdout + ended.stderr + "".join(calls)
        return ended.returncode, report["message"], [call for call in calls if call.startswith("docker")]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine on which everything goes well."""
    return Machine(tmp_path)


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


@pytest.mark.rule(
    "an image that is there under its content's tag is not built again",
    tool="the build's own script",
    emulated="the answers of docker and ECR",
)
def test_an_image_that_is_there_is_not_built(machine: Machine) -> None:
    """The same tag with the same label is the same content."""
    machine.answer("stored", STORED)

    code, message, docker = machine.run()

    assert (code, message) == (0, f"{OURS}/semif-decision:{TAG} is there already as {DIGEST}.")
    assert [call.split()[1] for call in docker] == ["login", "login", "buildx"]
    assert docker[-1].endswith(f" {OURS}/semif-decision@{DIGEST}"), "the registry is asked, by digest"


@pytest.mark.parametrize("answers", [(STORED,), (NONE, STORED)])
def test_an_image_of_other_content_under_our_tag_fails(machine: Machine, answers: tuple[str, ...]) -> None:
    """Whether it was there or somebody pushed it meanwhile, it is not taken for ours."""
    machine.answer("stored", *answers)
    machine.answer("label", "f" * 40)
    machine.answer("taken", "")

    code, message, _ = machine.run()

    assert code == 1
    assert message == (
        f"{OURS}/semif-decision:{TAG} is there as {DIGEST}, but is labelled semif.content = {'f' * 40}: "
        "find out who pushed it."
    )


def test_a_push_that_comes_second_is_a_success(machine: Machine) -> None:
    """Tags do not move, so of two builds of the same content one cannot push, and needs not."""
    machine.answer("taken", "")

    code, message, _ = machine.run()

    assert code == 0
    assert message == f"{OURS}/semif-decision:{TAG} is there as {DIGEST}, from another build of the same content."


def test_a_push_that_is_refused_fails(machine: Machine) -> None:
    """Nothing is there afterwards."""
    machine.answer("taken", "")
    machine.answer("stored", NONE)

    assert machine.run()[:2] == (1, f"{OURS}/semif-decision:{TAG} could not be pushed.")


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


@pytest.mark.parametrize(
    "answers",
    [
        (f"{DIGEST}\tapplication/vnd.oci.image.index.v1+json",),
        (NONE, f"{DIGEST}\tapplication/vnd.oci.image.manifest.v1+json"),
    ],
)
def test_an_image_of_a_type_that_sagemaker_refuses_fails(machine: Machine, answers: tuple[str, ...]) -> None:
    """Whether it was there or was pushed now, the sentence names type and way out."""
    machine.answer("stored", *answers)

    code, message, _ = machine.run()

    assert code == 1
    assert "stored as application/vnd.oci.image" in message
    assert "delete this tag and build again" in message


def test_a_push_that_is_seen_late_is_waited_for(machine: Machine) -> None:
    """The registry may answer before it shows the image."""
    machine.answer("stored", NONE, NONE, NONE, STORED)

    assert machine.run()[0] == 0
    assert [call for call in machine.calls.read_text().splitlines() if call.startswith("sleep")] == [
        "sleep 1",
        "sleep 2",
    ]


def test_a_push_that_is_never_seen_fails_with_the_tag(machine: Machine) -> None:
    """The wait is bounded."""
    machine.answer("stored", NONE)

    code, message, _ = machine.run()

    assert code == 1
    assert message == f"{OURS}/semif-decision:{TAG} could not be pushed: the registry took it, but does not show it."


def test_a_registry_that_has_another_digest_than_was_pushed_fails(machine: Machine) -> None:
    """The digest of the record is the registry's, and must be the one pushed."""
    machine.answer("pushed", f"{OURS}/semif-decision@sha256:{'e' * 64}")

    assert "but the registry has" in machine.run()[1]


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
