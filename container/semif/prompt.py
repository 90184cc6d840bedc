"""Pure: a decision to the text the model reads, and the model's chat template to a constant frame around it.

The template is compiled and proven once, at start. What it puts before and after the payload is then
constant, so a prompt is `head + payload + tail`, and its parts can be tokenised apart.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from jinja2 import TemplateError, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from semif.decision import LETTERS, JsonValue, Option, StartFailure

SYSTEM = (
    "Apply the supplied criterion to the supplied evidence. Choose exactly one listed option. "
    "Respond with only its uppercase letter, with no explanation or reasoning."
)

# Texts a template might look for in a message to treat it in another way.
_PROBES = (
    'plain {{ payload }} {% raw %} {# comment #}\\n  "quoted"',
    "<think>\\n\\n</think>\\n\\n a </think> b <tool_response>x</tool_response>",
    "  é 漢字 🙂   <|im_end|>\\n<|im_start|>system ",
)


def evidence_text(state: JsonValue) -> str:
    """The payload up to the question: what all questions about one state share.

    It ends in a colon and the next text begins with a space, where the pre-tokenisers of BPE
    vocabularies always split; the start checks that this holds for the model at hand.
    """
    return f'{{"evidence": {_dump(state)}, "criterion":'


def criterion_text(question: str, options: Sequence[Option]) -> str:
    """The rest of the payload: the question and its lettered options."""
    listed = [
        {"letter": letter, "description": option.description} for letter, option in zip(LETTERS, options, strict=False)
    ]
    return f' {_dump(question)}, "options": {_dump(listed)}}}'


@dataclass(frozen=True, slots=True)
class Frame:
    """What the chat template puts before and after the user's payload, always the same."""

    head: str
    tail: str

    def prompt(self, payload: str) -> str:
        """The whole rendered prompt."""
        return f"{self.head}{payload}{self.tail}"


def prove_template(template: str, *, bos_token: str, eos_token: str) -> Frame:
    """Compiles the model's chat template and proves that it frames a payload without touching it.

    Raises:
        StartFailure: It does not compile or render, drops or changes the payload or the system
            text, depends on the payload, or leaves the model thinking.
    """
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = _tojson
    environment.globals["raise_exception"] = _raise
    try:
        compiled = environment.from_string(template)
        switch = "enable_thinking" in meta.find_undeclared_variables(environment.parse(template))

        def render(payload: str, *, thinking: bool) -> str:
            messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": payload}]
            return compiled.render(
                messages=messages,
                add_generation_prompt=True,
                enable_thinking=thinking,
                tools=None,
                documents=None,
                bos_token=bos_token,
                eos_token=eos_token,
            )

        payloads = [evidence_text(probe) + criterion_text(probe, [Option("a", probe)] * 2) for probe in _PROBES]
        rendered = [render(payload, thinking=False) for payload in payloads]
        thinking = render(payloads[0], thinking=True)
    except Exception as error:  # a template is a program: it may fail in any way
        raise StartFailure(f"the chat template does not render: {type(error).__name__}: {error}") from error
    head, payload, tail = rendered[0].partition(payloads[0])
    frame = Frame(head, tail)
    if not payload or [frame.prompt(each) for each in payloads] != rendered:
        raise StartFailure("the chat template does not pass the user's message on once and unchanged")
    if frame.prompt("").count(SYSTEM) != 1:
        raise StartFailure("the chat template does not pass the system message on once and unchanged")
    if switch and thinking == rendered[0]:
        raise StartFailure("the chat template reads enable_thinking, but switching it changes nothing")
    if tail.count("<think>") != tail.count("</think>"):
        raise StartFailure("the chat template leaves the model thinking although enable_thinking is false")
    return frame


def _dump(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return json.dumps(value, ensure_ascii=False)


def _tojson(value: Any, indent: int | None = None) -> str:  # noqa: ANN401 - any JSON value
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _raise(message: str) -> NoReturn:
    raise TemplateError(message)
