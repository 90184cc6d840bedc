"""A hub on loopback that knows some revisions and files."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Moved:
    """The answer of a renamed repository."""

    to: str


@contextmanager
def fake_hub(answers: Mapping[str, Any], *, token: str = "", asked: list[str | None] | None = None) -> Iterator[str]:
    """Serve answers by path, and yield the address.

    Args:
        answers: What is there: bytes as they are, Moved as a redirect, anything else as JSON; 404 for all else.
        token: Who does not show it is answered 401.
        asked: Gets the header of each question that says who asks.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            header = self.headers["Authorization"]
            if asked is not None:
                asked.append(header)
            answer = answers.get(self.path.partition("?")[0])
            body = answer if isinstance(answer, bytes) else json.dumps(answer, default=str).encode()
            if token and header != f"Bearer {token}":
                self.send_response(401)
            elif isinstance(answer, Moved):
                self.send_response(307)
                self.send_header("Location", answer.to)
            else:
                self.send_response(404 if answer is None else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
