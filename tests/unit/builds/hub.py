"""A hub on loopback that answers each request with the next of some prepared answers."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Answer:
    """One prepared answer.

    Attributes:
        body: What is sent.
        length: What Content-Length says; None leaves it out and closes the connection at the end.
        ranges: Whether a Range header is honoured; `length` then counts the whole file.
        cut: Send only this many bytes of the body and close.
        raw: Send exactly this and close.
        begin: Answer every range as if it began here.
    """

    body: bytes
    status: int = 200
    length: int | None = -1
    ranges: bool = False
    cut: int | None = None
    location: str = ""
    raw: bytes = b""
    begin: int | None = None


@dataclass
class Hub:
    """The running hub.

    Attributes:
        url: Where it listens.
        asked: Path and Range header of each request.
        tokens: Authorization header of each request.
    """

    url: str
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)


@contextmanager
def hub(answers: Sequence[Answer]) -> Iterator[Hub]:
    """Run a hub that gives these answers, the last one again and again."""
    running = Hub("")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = answers[min(len(running.asked), len(answers) - 1)]
            asked = self.headers.get("Range")
            running.asked.append((self.path, asked))
            running.tokens.append(self.headers.get("Authorization"))
            if answer.raw:
                self.wfile.write(answer.raw)
                return
            start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and answer.ranges else 0
            start = answer.begin or start
            self.send_response(206 if start else answer.status)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(answer.body) - 1}/{len(answer.body)}")
            if answer.location:
                self.send_header("Location", answer.location)
            if answer.length is not None:
                length = len(answer.body) if answer.length < 0 else answer.length
                self.send_header("Content-Length", str(length - start))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(answer.body[start : answer.cut])

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield running
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
