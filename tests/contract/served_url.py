"""The application behind real sockets, served by a thread, for clients that wait."""

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator

from semif.serving import server_config
from tests.contract.application import Served
from tests.contract.listening import Quiet


@contextlib.contextmanager
def served_url(served: Served) -> Iterator[str]:
    """Serves until the block ends; gives the URL."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Quiet(server_config(lambda: served.app))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
        thread.start()
        try:
            while not server.started:
                time.sleep(0.001)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            served.engine.gate.set()
            server.should_exit = server.force_exit = True
            thread.join()
