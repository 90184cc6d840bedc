"""Ends of the process that nobody asked the server for: during the start, and from within the library."""

import json
import signal
from pathlib import Path

import pytest

from tests.model.process import SMOLLM2_PROMPT, environment, run, serving
from tests.model.test_isolation import CANARY, DECISION

pytestmark = pytest.mark.model

STOPS_DURING_THE_START = """
import os, signal, sys
from importlib.abc import MetaPathFinder

class Patch(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "semif.serving":  # hashing and loading have begun
            os.kill(os.getpid(), signal.SIGTERM)
        return None

sys.meta_path.insert(0, Patch())
"""


def test_a_stop_during_the_start_is_no_failure(tmp_path: Path, models: dict[str, Path]) -> None:
    """SIGTERM while the model is being loaded ends the process with 0, at once and without a word."""
    (tmp_path / "sitecustomize.py").write_text(STOPS_DURING_THE_START)
    variables = environment(models["hybrid"], SMOLLM2_PROMPT)
    variables["PYTHONPATH"] = f"{tmp_path}:{variables['PYTHONPATH']}"

    ended = run(variables, "serve")

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.parametrize("handled", ["", "1"])
def test_a_library_that_ends_the_process_tells_nothing_of_a_request(models: dict[str, Path], handled: str) -> None:
    """An assert of the library ends the process as failed; not even Python's own account of it holds a payload."""
    variables = environment(models["hybrid"], SMOLLM2_PROMPT) | {"PYTHONFAULTHANDLER": handled}
    body = json.dumps({"decision": DECISION})

    with serving(variables) as container:
        status = container.client.post("/invocations", content=body, headers={"Content-Type": "application/json"})
        container.signal(signal.SIGABRT)
        code, output, errors = container.wait()

    assert (status.status_code, code) == (200, -signal.SIGABRT)
    assert ("Fatal Python error: Aborted" in errors) is bool(handled)
    assert CANARY not in output + errors
