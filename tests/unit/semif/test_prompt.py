"""The prompt's text, and what a chat template must prove."""

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semif.decision import LETTERS, Option, StartFailure
from semif.golden import SUPPORT_ROUTE
from semif.prompt import SYSTEM, criterion_text, evidence_text, prove_template
from semif.tiny_model import CHATML
from tests.unit.semif.templates import SWITCHABLE
from tests.unit.semif.test_wire import states

LOOP = "{% for message in messages %}[{{ message.role }}]{{ message.content }}{% endfor %}"


@given(states, st.text(), st.lists(st.text(), min_size=2, max_size=16))
def test_payload_is_the_json_of_the_contract(state: Any, question: str, descriptions: list[str]) -> None:
    """Evidence, criterion and lettered options are one JSON object in the contract's order and separators."""
    options = [Option(str(index), text) for index, text in enumerate(descriptions)]

    payload = evidence_text(state) + criterion_text(question, options)

    listed = [{"letter": letter, "description": text} for letter, text in zip(LETTERS, descriptions, strict=False)]
    whole = {"evidence": state, "criterion": question, "options": listed}
    assert payload == json.dumps(whole, ensure_ascii=False)


@pytest.mark.rule(
    "The prompt is byte for byte the published one: its SHA-256 for Qwen3.5 is reproduced",
    tool="jinja2",
    emulated="the template is ours, written to render the published bytes",
)
def test_published_prompt_of_qwen_is_reproduced() -> None:
    """With thinking off, a template with Qwen's turn marks renders the published 636 bytes."""
    frame = prove_template(SWITCHABLE, bos_token="", eos_token="<|im_end|>")
    payload = evidence_text(SUPPORT_ROUTE.state) + criterion_text(SUPPORT_ROUTE.question, SUPPORT_ROUTE.options)

    prompt = frame.prompt(payload).encode()

    assert len(prompt) == 636
    assert hashlib.sha256(prompt).hexdigest() == "016267542103ab91422c425d2234ec7e1b9aef77f9d3e481b96db2de7cca470a"
    assert frame.tail == "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"


def test_template_without_a_thinking_switch_is_accepted() -> None:
    """A template that knows no switch and opens no thinking frames the payload."""
    frame = prove_template(CHATML, bos_token="", eos_token="")

    assert frame.head.endswith("<|im_start|>user\n")
    assert SYSTEM in frame.head
    assert frame.tail == "<|im_end|>\n<|im_start|>assistant\n"


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{% for", "does not render"),
        ("{{ raise_exception('no system role') }}", "no system role"),
        ("{{ messages[5].content }}", "does not render"),
        ("{{ messages.append(1) }}" + LOOP, "does not render"),
        ("{{ ''.__class__.__mro__ }}" + LOOP, "does not render"),
        (LOOP.replace("message.content", "message.content | upper"), "once and unchanged"),
        (LOOP.replace("message.content", "message.content | replace('漢', '?')"), "once and unchanged"),
        (LOOP + LOOP, "once and unchanged"),
        ("{{ messages[0].content }}", "once and unchanged"),
        ("{{ messages[1].content }}", "system message"),
        (LOOP + "{% if enable_thinking is defined %}<t>{% endif %}", "switching it changes nothing"),
        (LOOP + "<think>\n", "leaves the model thinking"),
        (SWITCHABLE.replace("enable_thinking is false", "enable_thinking"), "leaves the model thinking"),
    ],
)
def test_template_that_cannot_be_trusted_is_a_start_failure(template: str, reason: str) -> None:
    """A template that breaks, alters, drops or repeats a message, or leaves thinking on, ends the start."""
    with pytest.raises(StartFailure, match=reason):
        prove_template(template, bos_token="", eos_token="")
