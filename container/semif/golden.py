"""The golden decision: known logits on the tiny hybrid prove that the binding means what the library does."""

import tempfile
from pathlib import Path

from semif.decision import Decision, Option, StartFailure
from semif.engine import Work
from semif.llama.binding import Library
from semif.llama.context import LlamaContext
from semif.llama.engine import LlamaEngine
from semif.llama.model import LlamaModel
from semif.prompt import prove_template
from semif.scoring import InvalidLogitsError, read_out
from semif.tiny_model import tiny_hybrid
from semif.tokens import PromptTokenizer

SUPPORT_ROUTE = Decision(
    id="support-route",
    state="Customer asks to reset a forgotten password and says the reset email never arrived.",
    question="Which queue should handle this request?",
    options=(
        Option("account_access", "Account access and authentication support."),
        Option("billing", "Billing and payment support."),
        Option("sales", "Sales and product evaluation."),
    ),
)
GOLDEN_LOGITS = (-0.95176, -0.20371, 0.34361)
TOLERANCE = 0.01  # CPU variants and builds agree to about 0.001


def run_golden_decision(library: Library) -> tuple[float, ...]:
    """Scores the support-route decision on the tiny hybrid, on the CPU, and compares.

    Returns:
        The logits of the three letters.

    Raises:
        StartFailure: They are not the known ones.
    """
    with tempfile.TemporaryDirectory(prefix="semif-") as folder:
        path = Path(folder, "tiny-hybrid.gguf")
        path.write_bytes(tiny_hybrid())
        model = LlamaModel(library, path, n_gpu_layers=0)
    frame = prove_template(model.chat_template(), bos_token="", eos_token="")
    tokenizer = PromptTokenizer(model.vocabulary, frame)
    context = LlamaContext(library, model, tokens=1024, sequences=2, threads=1)
    work = Work(tokenizer.prefix(SUPPORT_ROUTE), (tokenizer.suffix(SUPPORT_ROUTE),))
    scored = LlamaEngine(context).score(work)
    context.close()
    model.close()
    try:
        logits = read_out(scored.logits[0], tokenizer.letter_ids[:3]).option_logits
    except InvalidLogitsError:
        raise StartFailure("the self-test's logits are not finite") from None
    if any(abs(got - known) > TOLERANCE for got, known in zip(logits, GOLDEN_LOGITS, strict=True)):
        raise StartFailure(f"the self-test's logits are {logits} where {GOLDEN_LOGITS} are known")
    return logits
