"""An S3 that speaks HTTP, a machine to build on, and a set of files to build from."""

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.builds.build_machine import Machine
from tests.unit.builds.split_gguf import split
from tests.unit.builds.tiny_gguf import tiny_gguf

PYTHON = Path(__file__).parents[3] / ".cache/emulator/bin/python"
# One request after the other: moto looks whether a key is free and writes it in two steps, which S3 does in one.
SERVER = """
import sys
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple
run_simple("127.0.0.1", int(sys.argv[1]), DomainDispatcherApplication(create_backend_app), threaded=False)
"""


@pytest.fixture(scope="module")
def aws() -> Iterator[dict[str, str]]:
    """Run moto on loopback and give the environment in which boto3 finds it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.defpath, "HOME": home, "AWS_EC2_METADATA_DISABLED": "true"}
        server = subprocess.Popen(
            [PYTHON, "-c", SERVER, str(port)],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _wait_for(port, server)
            yield environment | {
                "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
                "AWS_ACCESS_KEY_ID": "test",
                "AWS_SECRET_ACCESS_KEY": "test",
                "AWS_DEFAULT_REGION": "us-east-1",
            }
        finally:
            server.terminate()
            server.wait()


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert server.poll() is None, "moto_server ended"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("moto_server does not listen")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine on which everything goes well."""
    return Machine(tmp_path)


@pytest.fixture
def parts(tmp_path: Path) -> dict[str, bytes]:
    """A set of three files; the last holds one tensor, the first none."""
    path = tmp_path / "whole.gguf"
    path.write_bytes(tiny_gguf())
    return split(path, "tiny", [0, 2, 1])
