"""A real HTTP server on loopback that answers as a test wrote down."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Received:
    """One request as it arrived, and the client's port, which tells connections apart."""

    path: str
    headers: Mapping[str, str]
    body: bytes
    port: int


@dataclass
class Listening:
    """Where it listens and what it received; `stop` lets an answer that waits for it go on."""

    url: str
    received: list[Received] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)


Answer = Callable[[BaseHTTPRequestHandler, Listening], None]


def says(status: int, body: bytes, **headers: str) -> Answer:
    """An answer of a status, a body and headers; underscores of their names are hyphens."""

    def answer(handler: BaseHTTPRequestHandler, _listening: Listening) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        with contextlib.suppress(OSError):  # who heard enough has left
            handler.wfile.write(body)

    return answer


def hangs_up(handler: BaseHTTPRequestHandler, _listening: Listening) -> None:
    """No answer, and the connection closed."""
    handler.close_connection = True


def stays_silent(_handler: BaseHTTPRequestHandler, listening: Listening) -> None:
    """No answer until the test is over."""
    listening.stop.wait(30)


def cut_off(handler: BaseHTTPRequestHandler, _listening: Listening) -> None:
    """Half of what was announced, and the connection closed."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    handler.wfile.write(b"{")
    handler.close_connection = True


def drips(handler: BaseHTTPRequestHandler, listening: Listening) -> None:
    """An answer that comes byte by byte for some seconds."""
    handler.send_response(200)
    handler.send_header("Content-Length", "250")
    handler.end_headers()
    with contextlib.suppress(OSError):
        for _ in range(250):
            if not listening.stop.wait(0.02):
                handler.wfile.write(b" ")


def drips_its_head(handler: BaseHTTPRequestHandler, listening: Listening) -> None:
    """A header that comes letter by letter for some seconds, and then an answer that is one."""
    with contextlib.suppress(OSError):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nSlow: ")
        for _ in range(250):
            if listening.stop.wait(0.02):
                return
            handler.wfile.write(b"x")
        handler.wfile.write(b"\r\nContent-Length: 2\r\n\r\n{}")


@contextlib.contextmanager
def listening(*answers: Answer) -> Iterator[Listening]:
    """Serve the answers one after another, the last one again and again, until the block ends."""
    script = list(answers)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:  # the server's word
            body = self.rfile.read(int(self.headers["Content-Length"]))
            served.received.append(Received(self.path, dict(self.headers), body, self.client_address[1]))
            (script.pop(0) if len(script) > 1 else script[0])(self, served)

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Listening(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        served.stop.set()
        server.shutdown()
        thread.join()
        server.server_close()
