"""The emulator process: ministack, moto, the types between them, the builds, the endpoints and their proxy.

It prints one JSON line when it is ready. It ends, with everything it started, on SIGTERM or SIGINT, and with
`--until-closed` also when its standard input closes, so that it cannot outlive the process that started it.
"""

import argparse
import json
import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
from pathlib import Path

from local_aws import process_session, sockets
from local_aws.emulator import gateway


def main() -> int:
    """Run until told to end."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True, help="where everything temporary goes")
    parser.add_argument("--port", type=int, default=0, help="the port of the AWS API; 0 takes a free one")
    parser.add_argument("--until-closed", action="store_true", help="end when standard input closes")
    arguments = parser.parse_args()
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.set())
    if arguments.until_closed:
        threading.Thread(target=_set_when_closed, args=(ending,), daemon=True).start()
    try:
        server = sockets.listening_socket(arguments.port)
    except OSError as error:
        print(json.dumps({"error": error.strerror}), flush=True)
        return 2
    tempfile.tempdir = str(arguments.folder)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    certificate, key = gateway.write_certificate(arguments.folder)
    gateway.set_ministack_environment(
        port=server.getsockname()[1], certificate=certificate, key=key, folder=arguments.folder
    )
    # ministack reads its settings when it is imported.
    from local_aws.emulator.composition import Emulator  # noqa: PLC0415 -- see above

    emulator = Emulator(server, certificate, key, arguments.folder)
    print(json.dumps(emulator.start()), flush=True)
    ending.wait()
    emulator.stop()
    if os.getsid(0) == os.getpid():
        process_session.end(os.getpid())
    shutil.rmtree(arguments.folder, ignore_errors=True)
    # Threads of ministack and moto may still wait for answers that nobody gives any more.
    os._exit(0)


def _set_when_closed(ending: threading.Event) -> None:
    sys.stdin.buffer.read()
    ending.set()


if __name__ == "__main__":
    sys.exit(main())
