"""What docs/decision-client.md shows is what happens."""

import re
from pathlib import Path
from typing import Any

import pytest
import tomlkit

from decision_client import errors
from decision_client.asking import DEADLINE_SECONDS
from decision_client.definition import read_definition
from decision_client.errors import DecisionError
from decision_client.http_transport import HttpTransport
from decision_client.identity import Identity
from decision_client.outcome import Action, Reason
from decision_client.policy import Binding
from decision_client.retries import RetryRules
from decision_client.transport import CONNECT_SECONDS, READ_SECONDS
from tests.contract.application import IDENTITY, Served
from tests.contract.served_url import served_url
from tests.unit.decision_client.samples import policy

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = (DOCS / "decision-client.md").read_text("utf-8")
RUNBOOK = (DOCS / "operations.md").read_text("utf-8")
BLOCKS = dict(re.findall(r"<!-- (?:file|run): (.+?) -->\n```\w+\n(.+?)```", GUIDE, re.DOTALL))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The guide's definition, and a policy made for it on the toy model."""
    (tmp_path / "support-route.toml").write_text(BLOCKS["support-route.toml"], "utf-8")
    identity = Identity.model_validate(
        {**IDENTITY.as_json(), "gguf": {"file": "toy.gguf", "bytes": 1, "sha256": "0" * 64}}
    )
    made = policy(
        definition=read_definition(tmp_path / "support-route.toml").reference,
        binding=Binding.of(identity),
        runtimes=(identity.runtime,),
        act=0.0,
        review=0.0,
        min_mass=0.0,
        min_margin=0.0,
    )
    (tmp_path / "support-route.policy.toml").write_text(
        tomlkit.dumps(made.model_dump(mode="json", exclude_none=True)), "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(name: str, names: dict[str, Any]) -> None:
    """Execute a block of the guide."""
    exec(compile(BLOCKS[name], name, "exec"), names)  # noqa: S102 - the guide's own text


def test_example_decides(folder: Path) -> None:
    """The guide's program routes a ticket, with a policy that covers the answer; without an endpoint a person does."""
    assert folder
    names: dict[str, Any] = {}
    with served_url(Served()) as url:
        names["transport"] = HttpTransport(url)
        run("decide", names)
        routed = names["queue_of"]("ticket-7", "The reset email never arrived.")
        refused = names["queue_of"]("ticket-8", "<|t|>")

    assert routed in {"account_access", "billing", "a person's: abstain because of abstain_option"}
    assert refused == "a person's: no answer (InvalidRequestError)"


def test_example_reaches_an_endpoint_by_name() -> None:
    """The guide's transport is made without asking anybody."""
    names: dict[str, Any] = {}

    run("transport", names)

    assert names["transport"]


def test_every_block_of_the_guide_is_run() -> None:
    """No example escapes these tests; the installation is a test of its own."""
    assert GUIDE.count("```toml") + GUIDE.count("```python") == len(BLOCKS) == 3


def test_guide_names_every_exception_action_and_reason() -> None:
    """What an application has to tell apart is in the tables."""
    raised = {
        each.__name__
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, DecisionError) and each is not DecisionError
    }

    assert {name for name in raised if f"`{name}`" not in GUIDE} == set()
    assert {word for word in (*Action, *Reason) if f"`{word}`" not in GUIDE} == set()


def test_guide_states_the_figures_of_the_rules() -> None:
    """Deadline, waits and socket timeouts are those of the code."""
    rules = RetryRules()
    text = " ".join(GUIDE.split())
    assert f"`deadline_seconds`, {DEADLINE_SECONDS:g} by default" in text
    first, cap = f"but {rules.first_seconds:g} s at least and twice that", f"{rules.cap_seconds:g} s"
    assert f"{first} after each further attempt, up to {cap}" in text
    assert f"{first} at every further try (up to {cap})" in RUNBOOK
    assert f"wait {CONNECT_SECONDS:g} s for a connection and {READ_SECONDS:g} s for an answer" in text
