"""An S3 over HTTP on loopback, for a measurement: moto's, whose objects are in memory."""

import contextlib
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator

from benchmarks.checkout import ROOT

_SERVER = ROOT / ".cache" / "emulator" / "bin" / "moto_server"
_HOST = "127.0.0.1"
_START_SECONDS = 60


@contextlib.contextmanager
def object_store() -> Iterator[dict[str, str]]:
    """Run it, and give the environment in which boto3 finds it."""
    with socket.create_server((_HOST, 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as home:
        environment = {
            "PATH": os.defpath,
            "HOME": home,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_ENDPOINT_URL": f"http://{_HOST}:{port}",
            "AWS_ACCESS_KEY_ID": "benchmark",
            "AWS_SECRET_ACCESS_KEY": "benchmark",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        command = (_SERVER, "-H", _HOST, "-p", str(port))
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet)
        try:
            _wait(port)
            yield environment
        finally:
            process.terminate()
            process.wait()


def _wait(port: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex((_HOST, port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError("the object store does not listen")
