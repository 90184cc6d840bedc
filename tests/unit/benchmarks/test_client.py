"""The load test's client against a container that answers as told, on loopback."""

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from benchmarks.load.cases import Case
from benchmarks.load.client import Client
from decision_client.retries import RetryRules

CASE = Case(b'{"decision": {}}', (("q", (1.0, 2.0)),))
RIGHT = {"result": {"id": "q", "option_ids": ["yes", "no"], "option_logits": [1.0, 2.0], "choice": "no"}}
BUSY = {"error": "later", "code": "busy", "retryable": True, "retry_after_seconds": 0}
SOON = RetryRules(first_seconds=0.01, cap_seconds=0.02)


@contextlib.contextmanager
def container(*answers: tuple[int, Any]) -> Iterator[int]:
    """Serves these statuses and bodies one after another; yields the port."""
    left = iter(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            status, document = next(left)
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_client_comes_back_after_a_refusal_until_it_is_answered() -> None:
    """Two refusals and an answer are three attempts of one right request."""
    with container((503, BUSY), (503, BUSY), (200, RIGHT)) as port:
        outcome = Client(port, 1, rules=SOON).ask(CASE)

    assert (outcome.attempts, outcome.decisions, outcome.fault) == (3, 1, None)
    assert outcome.rejections == {"busy": 2}


def test_client_gives_up_when_its_time_is_over() -> None:
    """A request that is refused again and again is neither right nor wrong."""
    later = {**BUSY, "retry_after_seconds": 5}
    with container((503, BUSY), (503, later)) as port:
        outcome = Client(port, 1, rules=SOON, patience=5).ask(CASE)

    assert (outcome.attempts, outcome.decisions, outcome.fault) == (2, 0, None)


def test_client_does_not_send_again_what_is_not_retryable() -> None:
    """A refusal for good, and an error, are faults of the run at the first attempt."""
    gone = {"error": "stopped", "code": "busy", "retryable": False}
    for status, document in ((500, {"code": "internal"}), (400, {"code": "empty"}), (503, gone)):
        with container((status, document)) as port:
            outcome = Client(port, 1, rules=SOON).ask(CASE)

        assert outcome.attempts == 1
        assert str(status) in str(outcome.fault)


def test_client_notices_a_wrong_answer() -> None:
    """A 200 with other logits is a fault and counts no decision."""
    wrong = {"result": {**RIGHT["result"], "option_logits": [1.0, 2.5]}}
    with container((200, wrong)) as port:
        outcome = Client(port, 1, rules=SOON).ask(CASE)

    assert outcome.decisions == 0
    assert outcome.fault is not None
