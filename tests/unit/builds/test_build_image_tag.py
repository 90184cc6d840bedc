"""What lies under the tag of an image's content before and after a push, as the image build's script sees it."""

import pytest

from tests.unit.builds.build_machine import DIGEST, NONE, OURS, STORED, TAG, Machine


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
