"""The examples of docs/audit.md, run in their order against the container's application."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from decision_client import http_transport
from decision_client.audit.record import DecisionRecord, FailureRecord, OverrideRecord, Scores
from decision_client.audit.tally import Review, Tally
from decision_client.transport import Reply
from ops.__main__ import app
from ops.evidence import bench_target
from tests.contract.application import Served

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "audit.md").read_text("utf-8")
BLOCK = re.compile(r"(?:<!-- (?P<note>[^>]+) -->\n)?```(?P<language>\w*)\n(?P<body>.*?)```\n", re.DOTALL)


class ServedTransport:
    """The way to an application in this process, whatever the URL."""

    def __init__(self, url: str) -> None:
        assert url == "http://127.0.0.1:8080"
        self._served = Served()

    def send(self, body: bytes, timeout_seconds: float) -> Reply:
        """Ask the application."""
        assert timeout_seconds > 0
        response = self._served.post(body)
        return Reply(response.status_code, response.content)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder to work in, from which the container is reached."""
    monkeypatch.setattr(http_transport, "HttpTransport", ServedTransport)
    monkeypatch.setattr(bench_target, "HttpTransport", ServedTransport)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _typed(lines: str, folder: Path) -> list[str]:
    """Run the lines of a block as somebody types them, and return what the commands of ours printed."""
    printed = []
    for line in lines.splitlines():
        if not line.startswith("python -m ops"):
            path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
            subprocess.run(["bash", "-c", line], cwd=folder, check=True, env=os.environ | {"PATH": path})
            continue
        result = CliRunner().invoke(app, shlex.split(line, comments=True)[3:])
        assert result.exit_code == 0, (line, result.output, result.exception)
        printed.append(result.output)
    return printed


def test_examples_do_what_the_document_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A decision is recorded, asked again with the same bits, corrected and counted."""
    printed: list[str] = []
    names: dict[str, Any] = {}
    for block in BLOCK.finditer(TEXT):
        note, language, body = block["note"] or "", block["language"], block["body"]
        if note.startswith("file: "):
            (folder / note.removeprefix("file: ")).write_text(body)
        elif language == "python" and not note.startswith("not run"):
            exec(compile(body, "docs/audit.md", "exec"), names)  # noqa: S102 - it is the document that is tested
        elif not language:
            printed += _typed(body, folder)

    assert capsys.readouterr().out == "review\n"
    again, hashes_only, corrected, counted = printed
    assert "Identical: every logit and the mass are the same bits." in again
    assert hashes_only.endswith("Nothing was asked.\n")
    assert corrected.endswith("says ana.\n")
    total = json.loads(counted)["total"]
    assert (total["asked"], total["answered"], total["uncalibrated"]) == (1, 1, 1)
    assert total["corrected"] + total["confirmed"] == 1


def test_document_names_every_field_and_every_count() -> None:
    """A field that is added is explained."""
    named = set(re.findall(r"`(\w+)`", TEXT))
    fields = {*DecisionRecord.model_fields, *FailureRecord.model_fields} - {"schema_version"}
    counts = {*Tally.model_fields, *Review.model_fields, "override_rate"} - {"total", "definitions"}

    assert fields | counts <= named
    assert OverrideRecord.model_fields.keys() - fields == {"schema_version", "decision", "answered", "choice", "by"}
    assert Scores.model_fields.keys() & {"prompt_sha256"} == set()
