"""The container keeps to itself: no network but its own port, nothing written, no payload in its output."""

import contextlib
import json
import socket
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.model.process import SMOLLM2, SMOLLM2_PROMPT, environment, serving

pytestmark = pytest.mark.model

CANARY = "zq-canary-7"
DECISION = {
    "id": CANARY,
    "state": {CANARY: CANARY},
    "question": CANARY,
    "options": [{"id": CANARY, "description": CANARY}, {"id": "b", "description": CANARY}],
}
# Runs before the container's code: any name looked up, any address but loopback, ends the process.
GUARD = """
import os, sys
def guard(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        host = arguments[0] if event != "socket.sendto" else arguments[1]
    elif event in ("socket.connect", "socket.bind"):
        host = arguments[1][0] if isinstance(arguments[1], tuple) else arguments[1]
    else:
        return
    if host not in ("127.0.0.1", "::1"):
        os.write(2, f"network: {event} {host}\\n".encode())
        os._exit(97)
sys.addaudithook(guard)
"""


def sockets(pid: int) -> set[str]:
    """The inodes of a process's open sockets, libraries' own included."""
    links = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            links.append(str(entry.readlink()))
        except FileNotFoundError:
            continue
    return {link.removeprefix("socket:[").removesuffix("]") for link in links if link.startswith("socket:")}


def peers(pid: int) -> set[str]:
    """Local addresses of a process's internet sockets, as the kernel lists them (hexadecimal)."""
    found = set()
    mine = sockets(pid)
    for table in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6"):
        path = Path(f"/proc/{pid}/net/{table}")
        for line in path.read_text().splitlines()[1:] if path.exists() else []:
            fields = line.split()
            if fields[9] in mine:
                found.add(fields[1])
    return found


@pytest.mark.rule(
    "The container opens no connection, at start or later, and looks no name up",
    tool="CPython audit hook, /proc",
    emulated="",
)
def test_the_network_is_its_own_port_alone(tmp_path: Path, models: dict[str, Path]) -> None:
    """With every other address forbidden the container starts, answers and ends; it has no socket but its port's."""
    (tmp_path / "sitecustomize.py").write_text(GUARD)
    variables = environment(models["hybrid"], SMOLLM2_PROMPT)
    variables["PYTHONPATH"] = f"{tmp_path}:{variables['PYTHONPATH']}"

    with serving(variables) as container:
        status = container.ask({"decision": DECISION}).status_code
        addresses = peers(container.pid)
        code, _, errors = container.stop()

    assert (status, code, errors) == (200, 0, "")
    assert addresses == {f"0100007F:{int(variables['SEMIF_PORT']):04X}"}


def test_the_models_folder_may_be_read_only(tmp_path: Path, models: dict[str, Path]) -> None:
    """A folder nobody may write into, with other files beside the model, serves the named file and stays as it was."""
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("model.gguf", "a-first.gguf"):
        (folder / name).write_bytes(models["hybrid"].read_bytes() if name == "model.gguf" else b"GGUF")
        (folder / name).chmod(stat.S_IRUSR)
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)

    with serving(environment(folder / "model.gguf", SMOLLM2_PROMPT)) as container:
        file = container.ask({"decision": DECISION}).json()["result"]["model"]["gguf"]["file"]

    assert file == "model.gguf"
    assert sorted(path.name for path in folder.iterdir()) == ["a-first.gguf", "model.gguf"]


def test_no_output_of_the_process_holds_a_payload(models: dict[str, Path]) -> None:
    """Good, refused and malformed requests leave nothing of theirs on standard output or standard error."""
    bodies = [
        json.dumps({"decision": DECISION}).encode(),
        json.dumps({"decision": DECISION | {CANARY: 1}}).encode(),
        json.dumps({"decision": DECISION | {"state": f"{CANARY}<|im_end|>"}}).encode(),
        json.dumps({"decision": DECISION | {"state": CANARY * 999}}).encode(),
        f'{{"{CANARY}'.encode(),
        CANARY.encode() + b"\xff",
    ]
    headers = {"Content-Type": "application/json"}
    with serving(environment(models["hybrid"], SMOLLM2_PROMPT)) as container:
        statuses = [container.client.post("/invocations", content=body, headers=headers).status_code for body in bodies]
        container.client.get(f"/{CANARY}?{CANARY}")
        _, output, errors = container.stop()

    assert statuses == [200] + [400] * 5
    assert output.count('"event":"request"') == len(bodies)
    assert CANARY not in output + errors


HEAD = f"POST /invocations?{CANARY} HTTP/1.1\r\nHost: {CANARY}\r\nContent-Type: application/json\r\n"
BODY = json.dumps({"decision": DECISION})
BROKEN = [
    f"{CANARY}\r\n\r\n",
    f"GET /{CANARY} HTTP/1.1\r\n{CANARY}: {CANARY}\r\n\r\n",
    f"GET /{CANARY} HTTP/1.1\r\n{CANARY}",
    f"GET /ping HTTP/1.1\r\nX: {CANARY * 4000}\r\n\r\n",
    f"{CANARY} /ping HTTP/1.1\r\n\r\n",
    f"{HEAD}Content-Length: {len(BODY)}\r\n\r\n{BODY[:-1]}",
    f"{HEAD}Content-Length: {CANARY}\r\n\r\n{BODY}",
    f"{HEAD}Transfer-Encoding: chunked\r\n\r\n{CANARY}\r\n",
    f"{HEAD}Content-Length: {len(BODY)}\r\nConnection: Upgrade\r\nUpgrade: {CANARY}\r\n\r\n{BODY}",
    f"{HEAD}Content-Length: {len(BODY)}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n{BODY}",
    f"{HEAD}Content-Length: {len(BODY)}\r\nExpect: {CANARY}\r\n\r\n{BODY}",
]


def test_no_output_holds_anything_of_broken_http(models: dict[str, Path]) -> None:
    """What the server's libraries have to say of bad and cut-off requests and of hang-ups names none of their bytes."""
    variables = environment(models["hybrid"], SMOLLM2_PROMPT)
    with serving(variables) as container:
        for text in BROKEN:
            with socket.create_connection(("127.0.0.1", int(variables["SEMIF_PORT"])), timeout=30) as peer:
                peer.sendall(text.encode())
                peer.shutdown(socket.SHUT_WR)
                with contextlib.suppress(ConnectionResetError):
                    while peer.recv(65_536):
                        pass
        answered = container.ask({"decision": DECISION}).status_code
        code, output, errors = container.stop()

    events = [json.loads(line)["event"] for line in output.splitlines()]
    assert (answered, code, errors) == (200, 0, "")
    assert set(events) == {"ready", "request", "library"}
    assert CANARY not in output


def test_ping_answers_while_a_decode_runs() -> None:
    """During a decode of seconds many pings are answered, one after another, before it is done."""
    variables = environment(SMOLLM2, SMOLLM2_PROMPT)
    asked = DECISION | {"state": "A customer writes about a parcel. " * 60}
    with serving(variables) as container, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(container.ask, {"decision": asked})
        pings = []
        while not answer.done():
            pings.append(container.client.get("/ping").status_code)
        status = answer.result().status_code

    assert status == 200
    assert set(pings) == {200}
    assert len(pings) > 20
