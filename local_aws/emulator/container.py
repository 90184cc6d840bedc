"""Which process stands in for a container, and the environment it gets: the Model's own and what an image supplies."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from config.content import image_tag
from local_aws.checkout import DECISION_PYTHON, HOST, LLAMA_LIBRARIES, LLAMA_SERVER, ROOT
from local_aws.stand_in_image import BASE_LABEL, CHAT_ROLE, CONTENT_LABEL, DECISION_ROLE, ROLE_LABEL


class ContainerRefusedError(RuntimeError):
    """No process can stand in for this image, or the Model's environment overrides what the image supplies."""


@dataclass(frozen=True)
class Container:
    """The command and environment of one container process that listens on a loopback port."""

    command: tuple[str, ...]
    environment: dict[str, str]
    port: int


def container(labels: Mapping[str, str], environment: Mapping[str, str], model_folder: Path, port: int) -> Container:
    """Return the process that stands in for the image with these labels.

    Raises:
        ContainerRefusedError: unknown image, an image made from other sources than this checkout's, or a conflict.
    """
    role = labels.get(ROLE_LABEL)
    if role == DECISION_ROLE:
        _check_content(labels)
        command = (str(DECISION_PYTHON), "-m", "semif", "serve")
        supplied = {
            "SEMIF_LLAMA_DIR": str(LLAMA_LIBRARIES),
            "SEMIF_MODEL_DIR": str(model_folder),
            "SEMIF_PORT": str(port),
            "SEMIF_HOST": HOST,
            "PYTHONPATH": str(ROOT / "container"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
    elif role == CHAT_ROLE:
        _check_no_download(environment)
        command = (sys.executable, "-m", "local_aws.llama_cpp_container", "serve")
        supplied = {
            "LOCAL_MODEL_DIR": str(model_folder),
            "LOCAL_PORT": str(port),
            "LOCAL_LLAMA_SERVER": str(LLAMA_SERVER),
            "PYTHONPATH": str(ROOT),
        }
    else:
        raise ContainerRefusedError(f"no process stands in for an image labelled {dict(labels)}")
    supplied |= {
        "PATH": os.defpath,
        "LD_LIBRARY_PATH": str(LLAMA_LIBRARIES if role == DECISION_ROLE else LLAMA_SERVER.parent),
    }
    if conflicts := sorted(supplied.keys() & environment.keys()):
        raise ContainerRefusedError(f"the Model sets {', '.join(conflicts)}, which the image or the platform supplies")
    return Container(command=command, environment={**environment, **supplied}, port=port)


def _check_no_download(environment: Mapping[str, str]) -> None:
    if repository := environment.get("SM_LLAMA_CPP_HF_REPO"):
        raise ContainerRefusedError(f"the container would download {repository} from the hub, which is not reached")


def _check_content(labels: Mapping[str, str]) -> None:
    here = image_tag(labels.get(BASE_LABEL, ""))
    if labels.get(CONTENT_LABEL) != here:
        raise ContainerRefusedError(
            f"the image is labelled with content {labels.get(CONTENT_LABEL)}, but the checkout's container/ has {here}"
        )
