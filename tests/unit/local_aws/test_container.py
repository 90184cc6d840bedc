from pathlib import Path

import pytest

from config.content import image_tag
from local_aws.emulator.container import ContainerRefusedError, container
from local_aws.stand_in_image import BASE_LABEL, CHAT_ROLE, CONTENT_LABEL, DECISION_ROLE, ROLE_LABEL

BASE = "sha256:" + "a" * 64
DECISION = {ROLE_LABEL: DECISION_ROLE, BASE_LABEL: BASE, CONTENT_LABEL: image_tag(BASE)}
CHAT = {ROLE_LABEL: CHAT_ROLE}
FOLDER = Path("/unpacked")


def test_process_gets_the_models_environment_and_what_the_image_supplies() -> None:
    """The decision process sees the Model's variables unchanged, beside the image's own and nothing else."""
    environment = container(DECISION, {"SEMIF_THREADS": "2"}, FOLDER, 8080).environment

    supplied = {"SEMIF_LLAMA_DIR", "SEMIF_MODEL_DIR", "SEMIF_PORT", "SEMIF_HOST", "PATH", "LD_LIBRARY_PATH"}
    assert environment["SEMIF_THREADS"] == "2"
    assert supplied | {"SEMIF_THREADS", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE"} == environment.keys()


@pytest.mark.parametrize(
    ("labels", "name"), [(DECISION, "SEMIF_PORT"), (DECISION, "PATH"), (CHAT, "LOCAL_PORT"), (CHAT, "LD_LIBRARY_PATH")]
)
def test_model_may_not_set_what_the_image_supplies(labels: dict[str, str], name: str) -> None:
    """A Model's variable that would override the image's own is refused by name."""
    with pytest.raises(ContainerRefusedError, match=f"the Model sets {name}"):
        container(labels, {name: "x"}, FOLDER, 8080)


def test_model_of_the_hub_gets_no_process() -> None:
    """Nothing here reaches the hub, and the sentence says so instead of a server without a model."""
    with pytest.raises(ContainerRefusedError, match="would download owner/name from the hub, which is not reached"):
        container(CHAT, {"SM_LLAMA_CPP_HF_REPO": "owner/name", "SM_LLAMA_CPP_HF_FILE": "a.gguf"}, FOLDER, 8080)


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({}, "no process stands in for an image labelled {}"),
        ({**DECISION, CONTENT_LABEL: "0" * 40}, f"content {'0' * 40}, but the checkout's container/ has"),
        ({**DECISION, BASE_LABEL: "sha256:other"}, "but the checkout's container/ has"),
    ],
)
def test_image_of_other_content_gets_no_process(labels: dict[str, str], said: str) -> None:
    """An image that is not labelled with this checkout's content is refused."""
    with pytest.raises(ContainerRefusedError) as caught:
        container(labels, {}, FOLDER, 8080)

    assert said in str(caught.value)
