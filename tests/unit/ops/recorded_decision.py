"""A recorded decision with its request and its key in a folder, the commands that read them, and whom a replay asks."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from decision_client.audit.keyed_hash import LocalKey
from decision_client.audit.trail_file import TrailFile
from decision_client.scores import calibrated
from decision_client.transport import Reply
from ops.__main__ import app
from tests.unit.decision_client.audit.records import KEY, STATE, decision
from tests.unit.decision_client.samples import DEFINITION, answer

URL = "http://127.0.0.1:8080"


class Endpoint:
    """A transport that answers as `samples.answer`, changed, and keeps what it was sent."""

    def __init__(self) -> None:
        self.changed: dict[str, Any] = {}
        self.sent: list[Any] = []
        self.status = 200

    def send(self, body: bytes, timeout_seconds: float) -> Reply:
        """Answer one decision."""
        assert timeout_seconds > 0
        self.sent.append(json.loads(body))
        asked = self.sent[-1]["decision"]
        said = answer(**{"id": asked["id"], **self.changed}).model_dump(mode="json")
        said["probabilities"] = calibrated(said["option_logits"], 1.0)
        return Reply(self.status, json.dumps({"result": said}).encode())


def lay(folder: Path) -> Path:
    """Write a trail of one record, its request, and its key; return the folder."""
    TrailFile(folder / "audit.jsonl").append([decision(1)])
    write_request(folder)
    write_key(folder / "key.toml", KEY)
    return folder


def asked(**changed: Any) -> dict[str, Any]:
    """The decision of the record as it was sent, with fields changed."""
    options = [each.model_dump() for each in DEFINITION.options]
    return {"id": "case-1", "state": STATE, "question": DEFINITION.question, "options": options} | changed


def write_request(folder: Path, *decisions: dict[str, Any]) -> None:
    """Write a request of these decisions, or of the recorded one."""
    body = {"decisions": decisions} if len(decisions) > 1 else {"decision": (*decisions, asked())[0]}
    (folder / "request.json").write_text(json.dumps(body))


def write_key(file: Path, key: LocalKey) -> Path:
    """Write a key file that its owner alone may open."""
    file.write_text(f'id = "{key.id}"\nkey = "{key.key.hex()}"\n')
    file.chmod(0o600)
    return file


def run(*arguments: object) -> Result:
    """Type a command."""
    return CliRunner().invoke(app, [str(each) for each in arguments])


def replay(folder: Path, *arguments: object, target: bool = True) -> Result:
    """Type `ops replay` with the folder's files."""
    there = [URL] if target else []
    request = ("--request", folder / "request.json", "--key-file", folder / "key.toml")
    return run("replay", folder / "audit.jsonl", *there, *request, *arguments)
