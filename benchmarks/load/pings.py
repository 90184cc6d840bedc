"""Asks `/ping` again and again, beside whatever else goes on."""

import threading
import time

from benchmarks.interval import percentile
from benchmarks.served_model import healthy

_EVERY_SECONDS = 0.1


class Pings:
    """A thread that asks; `seconds` are how long each answer took, `unhealthy` counts those that were not 200."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.seconds: list[float] = []
        self.unhealthy = 0

    def start(self) -> None:
        """Begins to ask."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the asking."""
        self._stopped.set()
        self._thread.join()

    def summary(self) -> str:
        """One sentence for people."""
        p50, p99 = (percentile(self.seconds, share) * 1000 for share in (0.50, 0.99))
        return (
            f"/ping meanwhile: {len(self.seconds)} asked, {self.unhealthy} not 200, p50 {p50:.1f} ms, p99 {p99:.1f} ms"
        )

    def _run(self) -> None:
        while not self._stopped.wait(_EVERY_SECONDS):
            began = time.monotonic()
            self.unhealthy += not healthy(self._port)
            self.seconds.append(time.monotonic() - began)
