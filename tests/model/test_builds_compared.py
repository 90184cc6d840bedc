"""Two builds of llama.cpp under the same model, asked the same labelled decisions and compared."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evidence.compare import Comparison, compare
from evidence.results import Results, read_results
from evidence.verdict import Finding
from ops.__main__ import app
from tests.model.process import LLAMA, OTHER_LLAMA, SMOLLM2, SMOLLM2_PROMPT, environment, serving

pytestmark = pytest.mark.model

OPTIONS = [{"id": "yes", "description": "It does."}, {"id": "no", "description": "It does not."}]
STATES = {
    "The parcel arrived on Monday, undamaged.": "no",
    "I have been charged twice for the same order!": "yes",
    "고객님이 비밀번호를 잊어버렸습니다.": "no",
    "Nobody has answered my three letters, and I am leaving.": "yes",
}
QUESTION = "Does the customer complain?"


def _asked(folder: Path, libraries: Path, repeat: int) -> Results:
    tasks, out = folder / "tasks.jsonl", folder / f"{libraries.name}.jsonl"
    rows = [
        {"id": f"t{number}", "state": state, "question": QUESTION, "options": OPTIONS, "gold": gold}
        for number, (state, gold) in enumerate(STATES.items())
    ]
    tasks.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    with serving(environment(SMOLLM2, SMOLLM2_PROMPT, {"SEMIF_LLAMA_DIR": str(libraries)})) as container:
        target = str(container.client.base_url).rstrip("/")
        arguments = ["bench", target, "--tasks", str(tasks), "--repeat", str(repeat), "--out", str(out)]
        asked = CliRunner().invoke(app, arguments)
    assert asked.exit_code == 0, asked.output
    return read_results(out)


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """The older build against the newer one, whose repeat is the floor."""
    folder = tmp_path_factory.mktemp("builds")
    return compare(_asked(folder, LLAMA, 2), _asked(folder, OTHER_LLAMA, 1))


@pytest.mark.rule(
    "A repeat on one build has the same bits; what another build changes is told field by field and task by task",
    tool="libllama v0.5.0 and v0.4.0, SmolLM2-135M",
    emulated="",
)
def test_what_another_build_changes_is_told(compared: Comparison) -> None:
    """The library and nothing else, under the same prompts; four tasks show no difference of accuracy."""
    assert compared.floor is not None
    assert compared.floor.identical == compared.floor.pairs == len(STATES)
    assert {each.field for each in compared.identity} == {"llama_cpp.version", "llama_cpp.library_sha256"}
    assert (compared.counts.tasks, compared.prompts_changed) == (len(STATES), 0)
    assert compared.verdict.finding in {Finding.SAME, Finding.NO_DIFFERENCE_SHOWN}


def test_seconds_of_both_builds_are_compared(compared: Comparison) -> None:
    """Whatever they were: nothing is said here about which is faster."""
    assert all(0 < (each.low or 0) <= (each.high or 0) for each in compared.ratios)
    assert len(compared.ratios) == 4
