"""`python -m semif [serve]` runs the container; `python -m semif self-test` proves an image.

What is imported here is little: the model file is hashed and loaded while the rest is still being imported.
"""

import os
import signal
import socket
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from semif.decision import StartFailure
from semif.opened_model import open_model
from semif.settings import Settings, read_settings
from semif.weights import check_digests, check_files, check_unchanged
from semif.worker import EngineWorker


def serve(settings: Settings) -> int:
    """Proves the model, serves it, and returns the process's exit code.

    Raises:
        StartFailure: The model, library or machine is not what the settings say.
    """
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))  # a stop during the start is no failure either
    listener = _listener(settings.host, settings.port)
    folder, files = settings.model_dir, settings.files
    before = check_files(folder, files)
    worker = EngineWorker()
    with ThreadPoolExecutor(2, "semif-start") as beside:
        hashed = beside.submit(check_digests, folder, files)
        opened = worker.submit(open_model, settings)
        from semif.proven_prompt import prove_prompt  # noqa: PLC0415 - see the top
        from semif.start import Loading, prove  # noqa: PLC0415 - see the top

        prompt = beside.submit(lambda: prove_prompt(settings, opened.result().model))
        loading = Loading(worker.submit(lambda: prove(settings, opened.result(), prompt)), worker)
        from semif.serving import Serving  # noqa: PLC0415 - see the top

        hashed.result()  # first: bytes that are not the pinned ones are the better reason
    serving = Serving(settings, loading)
    check_unchanged(folder, files, before)
    return serving.run(listener)


def _listener(host: str, port: int) -> socket.socket:
    # Bound before the model loads, so that a taken port is known at once; it listens when the model can decide.
    # The protocol is named because asyncio turns Nagle's algorithm off (40 ms an answer) only where it is.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        raise StartFailure(f"{host}:{port} cannot be listened on: {error.strerror}") from error
    return listener


def self_test(llama_dir: Path) -> int:
    """Loads the library and scores the golden decision; proves an image without a model.

    Raises:
        StartFailure: The library is unknown or computes something else.
    """
    from semif.golden import run_golden_decision  # noqa: PLC0415 - see the top
    from semif.llama.abi import AbiError  # noqa: PLC0415
    from semif.llama.binding import Library  # noqa: PLC0415

    try:
        library = Library(llama_dir)
    except AbiError as error:
        raise StartFailure(str(error)) from error
    logits = run_golden_decision(library)
    sys.stdout.write(f"self-test passed on {library.cpu_variant()}, libllama {library.version}: {logits}\n")
    return 0


def main(arguments: list[str]) -> int:
    """Runs one command; a failed start is one sentence on standard error."""
    try:
        if arguments in ([], ["serve"]):
            return serve(read_settings(os.environ))
        if arguments == ["self-test"]:
            return self_test(Path(os.environ.get("SEMIF_LLAMA_DIR", "/opt/llama.cpp/bin")))
    except StartFailure as failure:
        sys.stderr.write(f"semif: {failure}.\n")
        return 1
    except Exception as error:  # noqa: BLE001 - whatever a start trips over, it ends in one sentence
        where = traceback.extract_tb(error.__traceback__)[-1]
        said = " ".join(str(error).split())
        place = f"{os.path.basename(where.filename)}:{where.lineno}"  # noqa: PTH119 - a frame may name no file
        sys.stderr.write(f"semif: {type(error).__name__} at {place}: {said}.\n")
        return 1
    sys.stderr.write("usage: python -m semif [serve | self-test]\n")
    return 2


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # a thread may still be inside the library: its destructors must not run under it
