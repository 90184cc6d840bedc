"""What ends a start: one sentence, a non-zero exit, and never a healthy container."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from semif.tiny_model import CHATML, tiny_hybrid
from tests.model.process import LLAMA, ROOT, environment, run
from tests.model.tiny_attention import tiny_attention

pytestmark = pytest.mark.model

PROMPT = "8e5ee8efb6ae729e55096ffcd6ff2c46ee03ee1c92237d9fcf6982fd71304293"  # ChatML renders it for every vocabulary
HYBRID = tiny_hybrid()


def poisoned() -> bytes:
    """The attention model with one weight that is not a number."""
    raw = bytearray(tiny_attention())
    raw[len(raw) - 20000 : len(raw) - 19998] = np.array([np.nan], dtype=np.float16).tobytes()
    return bytes(raw)


def shard() -> bytes:
    """A file that says it is the first of two."""
    return tiny_attention(metadata={"split.no": 0, "split.count": 2, "split.tensors.count": 99})


@pytest.mark.rule(
    "A model file that is broken or not the pinned one never becomes a healthy container",
    tool="libllama v0.5.0, the container's process",
    emulated="",
)
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is not a GGUF file"),
        (b"<html>Entry not found</html>", "is not a GGUF file"),
        (b"GGUF", "does not load"),
        (HYBRID[:40], "does not load"),
        (HYBRID[:9000], "does not load"),
        (HYBRID[:-64], "does not load"),
        (poisoned(), "does not load"),
        (shard(), "does not load"),
        (tiny_hybrid(None), "no chat template"),
        (tiny_hybrid("{% for"), "does not render"),
        (tiny_hybrid(CHATML.replace("message.content", "message.content | trim | upper")), "once and unchanged"),
        (tiny_hybrid(CHATML + "<think>\n"), "leaves the model thinking"),
        (tiny_hybrid(CHATML.replace("assistant", "Assistant")), "SEMIF_KNOWN_PROMPT_SHA256"),
        (tiny_hybrid(user_defined=["\nA"]), "answer letter A"),
        (tiny_hybrid(user_defined=['", ']), "in a prompt's own punctuation"),
        (tiny_hybrid("{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}"), "does not render: RecursionError"),
    ],
    ids=lambda value: value[:30].replace(" ", "-") if isinstance(value, str) else "",
)
def test_broken_model_is_refused_in_one_sentence(tmp_path: Path, content: bytes, reason: str) -> None:
    """A file that is no usable model ends the start with one sentence, although size and digest are as pinned."""
    path = tmp_path / "model.gguf"
    path.write_bytes(content)

    ended = run(environment(path, PROMPT, {"SEMIF_GGUF_BYTES": str(max(1, len(content)))}))

    assert ended.returncode == 1
    assert reason in ended.stderr
    lines = [line for line in ended.stderr.splitlines() if not line.startswith("ggml_validate_row_data")]
    assert [line.startswith("semif: ") for line in lines] == [True]  # ggml prints one line past every log callback
    assert ended.stdout == ""


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"SEMIF_GGUF_BYTES": "5"}, "SEMIF_GGUF_BYTES says 5"),
        ({"SEMIF_GGUF_SHA256": "f" * 64}, "SEMIF_GGUF_SHA256 says " + "f" * 64),
        ({"SEMIF_TEMPLATE_SHA256": "f" * 64}, "SEMIF_TEMPLATE_SHA256 says " + "f" * 64),
        ({"SEMIF_KNOWN_PROMPT_SHA256": "f" * 64}, "SEMIF_KNOWN_PROMPT_SHA256 says " + "f" * 64),
        ({"SEMIF_MODEL_FILE": "other.gguf"}, "cannot be read"),
        ({"SEMIF_N_GPU_LAYERS": "-1"}, "no GPU backend"),
        ({"SEMIF_MAX_TOKENS": "9000"}, "trained for 8192"),
        ({"SEMIF_MAX_TOKENS": "500"}, "at most 500 are allowed here"),
        ({"SEMIF_MAX_REQUEST_TOKENS": "500"}, "at most 500 are allowed here"),
        ({"SEMIF_LLAMA_DIR": "/nonexistent"}, "does not load"),
        ({"SEMIF_MAX_TOKEN": "1"}, "SEMIF_MAX_TOKEN is not a setting"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_disagreement_is_refused_in_one_sentence(models: dict[str, Path], changes: dict[str, str], reason: str) -> None:
    """Whatever does not agree with the environment is named, and nothing is served."""
    ended = run(environment(models["hybrid"], PROMPT, changes))

    assert (ended.returncode, ended.stdout) == (1, "")
    assert reason in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to("/dev/null")])
def test_only_a_regular_file_is_opened(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """A folder or a link in the model's place is refused."""
    path = tmp_path / "model.gguf"
    make(path)

    ended = run(environment(path, PROMPT))

    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1


def test_folder_without_a_cpu_backend_is_refused(tmp_path: Path) -> None:
    """A library that comes without a backend for this machine's processor is no image."""
    for path in LLAMA.iterdir():
        if not path.name.startswith("libggml-cpu"):
            (tmp_path / path.name).symlink_to(path.resolve())

    ended = run(
        {"SEMIF_LLAMA_DIR": str(tmp_path), "PYTHONPATH": environment(tmp_path, PROMPT)["PYTHONPATH"]}, "self-test"
    )

    assert ended.returncode == 1
    assert "no CPU backend" in ended.stderr


def test_library_without_the_functions_is_refused_by_name(tmp_path: Path) -> None:
    """A build whose library has other functions, such as only newer batch calls, ends the start and names the first."""
    for path in LLAMA.iterdir():
        if path.name != "libllama.so":
            (tmp_path / path.name).symlink_to(path.resolve())
    (tmp_path / "libllama.so").symlink_to((LLAMA / "libggml-base.so").resolve())

    ended = run(
        {"SEMIF_LLAMA_DIR": str(tmp_path), "PYTHONPATH": environment(tmp_path, PROMPT)["PYTHONPATH"]}, "self-test"
    )

    assert ended.returncode == 1
    assert ended.stderr == "semif: this libllama has no function llama_model_default_params.\n"


@pytest.mark.skipif("LLAMA_BUILD" in os.environ, reason="a build made here has one backend")
@pytest.mark.parametrize("variant", ["x64", "sse42"])
def test_golden_decision_holds_on_other_cpu_variants(tmp_path: Path, variant: str) -> None:
    """The known logits are met by the plain variants of the CPU backend too, not only by this machine's best."""
    for path in LLAMA.iterdir():
        if not path.name.startswith("libggml-cpu") or path.name == f"libggml-cpu-{variant}.so":
            shutil.copyfile(path, tmp_path / path.name)

    ended = run(
        {"SEMIF_LLAMA_DIR": str(tmp_path), "PYTHONPATH": environment(tmp_path, PROMPT)["PYTHONPATH"]}, "self-test"
    )

    assert ended.returncode == 0, ended.stderr
    assert f"self-test passed on cpu-{variant}" in ended.stdout


def test_unknown_command_explains_itself() -> None:
    """Anything but `serve` and `self-test` is answered with how it is used."""
    ended = run({"PYTHONPATH": os.fspath(ROOT / "container")}, "train")

    assert (ended.returncode, "usage" in ended.stderr) == (2, True)


TOUCHES_THE_MODEL = """
import os, sys
from importlib.abc import MetaPathFinder

class Patch(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "semif.serving":  # hashing and loading have begun
            os.utime(os.environ["SEMIF_MODEL_DIR"] + "/model.gguf")
        return None

sys.meta_path.insert(0, Patch())
"""


def test_a_model_that_changes_during_the_start_is_refused(tmp_path: Path) -> None:
    """What was hashed may not be what was loaded when the file changed in between: the start ends."""
    (tmp_path / "sitecustomize.py").write_text(TOUCHES_THE_MODEL)
    path = tmp_path / "model.gguf"
    path.write_bytes(HYBRID)
    variables = environment(path, PROMPT)
    variables["PYTHONPATH"] = f"{tmp_path}:{variables['PYTHONPATH']}"

    ended = run(variables)

    assert (ended.returncode, ended.stderr) == (1, "semif: model.gguf changed while it was being loaded.\n")
