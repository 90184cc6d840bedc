"""Lines of the libraries: what they said, never what they were given."""

import io
import json
import logging

from semif.telemetry import LibraryLog, RequestLog


def test_a_librarys_line_keeps_its_constant_text_alone() -> None:
    """Arguments, further lines and traces of a library's message stay out of the log; debug chatter does altogether."""
    canary, stream = "zq-canary-7", io.StringIO()
    logger = logging.Logger("library")  # noqa: LOG001 - of no hierarchy, so that no other handler hears it
    logger.addHandler(LibraryLog(RequestLog(stream)))

    logger.error("Failed for %s\nwith %s", canary, canary, exc_info=ValueError(canary))
    logger.error(f"Task failed\nfuture: {canary}")  # noqa: G004 - as asyncio does
    logger.error(f"Exception in callback Connection.received({canary!r})")  # noqa: G004 - as asyncio does
    logger.error(f"<Future result={canary}> has no taker")  # noqa: G004
    logger.info("chatter")

    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["said"] for line in lines] == [
        "Failed for %s",
        "Task failed",
        "Exception in callback Connection.received",
        "",
    ]
    assert {(line["event"], line["logger"], line["level"]) for line in lines} == {("library", "library", "ERROR")}
    assert canary not in stream.getvalue()
