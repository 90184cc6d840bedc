"""A stand-in for the entrypoint of AWS's Deep Learning Container for llama.cpp, around a real `llama-server`.

The documented rules are its own: `SM_LLAMA_CPP_*` become flags, `/ping` asks `/health`, `/invocations` asks
`/v1/chat/completions` without buffering, and every other path passes through.
"""

import contextlib
import ctypes
import http.client
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

from local_aws.checkout import HOST
from local_aws.sockets import free_port

PREFIX: Final = "SM_LLAMA_CPP_"
MODEL_MOUNT: Final = "/opt/ml/model"
ROUTES: Final = {"/ping": "/health", "/invocations": "/v1/chat/completions"}
_PR_SET_PDEATHSIG: Final = 1
_HOP_BY_HOP: Final = frozenset({"connection", "keep-alive", "transfer-encoding", "server", "date"})


def server_flags(environment: Mapping[str, str], model_folder: Path) -> list[str]:
    """Return the flags that the container makes of its environment, in the order of the variables' names.

    `true` becomes a bare flag, `false` disappears, an empty value becomes a bare flag too. The model's path is mapped
    from where SageMaker mounts the archive to the folder it was unpacked into.
    """
    flags = []
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in {f"{PREFIX}MODEL_DIR", f"{PREFIX}PORT"}:
            value = environment[name].replace(MODEL_MOUNT, str(model_folder))
            if value.lower() == "false":
                continue
            flags.append("--" + name.removeprefix(PREFIX).lower().replace("_", "-"))
            if value and value.lower() != "true":
                flags.append(value)
    return flags


class Router(BaseHTTPRequestHandler):
    """Passes requests on to the server behind it, at `backend_port`."""

    backend_port = 0

    def do_GET(self) -> None:
        """Pass a GET on."""
        self._pass_on()

    def do_POST(self) -> None:
        """Pass a POST on."""
        self._pass_on()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base class's own name
        """Say nothing: the server behind logs its requests."""

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        connection = http.client.HTTPConnection(HOST, self.backend_port, timeout=600)
        headers = {"Content-Type": self.headers.get("Content-Type", "application/json")}
        try:
            connection.request(self.command, ROUTES.get(self.path, self.path), body, headers)
            answer = connection.getresponse()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in _HOP_BY_HOP:
                    self.send_header(name, value)
            self.end_headers()
            while chunk := answer.read1(65536):
                self.wfile.write(chunk)
                self.wfile.flush()
        except (ConnectionError, http.client.HTTPException):
            with contextlib.suppress(OSError):
                self.send_error(HTTPStatus.BAD_GATEWAY)
        finally:
            connection.close()


def main() -> int:
    """Start `llama-server` and serve the container's routes until either ends."""
    model_folder, port = Path(os.environ["LOCAL_MODEL_DIR"]), int(os.environ["LOCAL_PORT"])
    Router.backend_port = free_port()
    server_file = os.environ["LOCAL_LLAMA_SERVER"]
    # In this build libllama holds a C++ library of its own; loaded late, it mixes with the system's and frees wrongly.
    preload = {"LD_PRELOAD": str(Path(server_file).parent.parent / "lib" / "libllama.so.0")}
    command = [server_file, "--host", HOST, "--port", str(Router.backend_port)]
    flags = server_flags(os.environ, model_folder)
    backend = subprocess.Popen([*command, *flags], env=os.environ | preload, preexec_fn=_die_with_parent)  # noqa: PLW1509 -- no thread runs yet
    server = ThreadingHTTPServer((HOST, port), Router)
    signal.signal(signal.SIGTERM, lambda *_: backend.terminate())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    # Unlike nginx in the real container, the router ends with the server behind it, so a failed start shows at once.
    return backend.wait()


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
