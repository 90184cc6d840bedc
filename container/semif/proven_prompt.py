"""What the model's chat template and vocabulary must prove; beside the proofs of the engine, on another thread."""

import re
from dataclasses import dataclass
from hashlib import sha256

from semif.decision import StartFailure
from semif.llama.model import LlamaModel
from semif.prompt import Frame, prove_template
from semif.proofs import check_known_prompt
from semif.settings import Settings
from semif.tokens import PromptTokenizer, control_token_pattern


@dataclass(frozen=True, slots=True)
class ProvenPrompt:
    """A template's frame, the tokenizer proven with it, and what no request may contain."""

    template_sha256: str
    frame: Frame
    tokenizer: PromptTokenizer
    control_token: re.Pattern[str] | None


def prove_prompt(settings: Settings, model: LlamaModel) -> ProvenPrompt:
    """Proves the template, the known prompt, and that a prompt's parts add up to the whole; any thread.

    Raises:
        StartFailure: Anything does not agree with the settings; one sentence says what.
    """
    template = model.chat_template()
    template_sha256 = sha256(template.encode()).hexdigest()
    if settings.template_sha256 not in (None, template_sha256):
        raise StartFailure(
            f"the chat template has sha256 {template_sha256} "
            f"where SEMIF_TEMPLATE_SHA256 says {settings.template_sha256}"
        )
    vocabulary = model.vocabulary
    frame = prove_template(template, bos_token=vocabulary.special_text("bos"), eos_token=vocabulary.special_text("eos"))
    check_known_prompt(frame, settings.known_prompt_sha256)
    tokenizer = PromptTokenizer(vocabulary, frame)
    return ProvenPrompt(template_sha256, frame, tokenizer, control_token_pattern(vocabulary))
