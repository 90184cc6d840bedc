"""What a loaded model must prove before it is served."""

from dataclasses import replace
from hashlib import sha256

from semif.decision import DecisionRequest, RequestError, StartFailure
from semif.engine import Engine, Work
from semif.golden import SUPPORT_ROUTE
from semif.prompt import Frame, criterion_text, evidence_text
from semif.service import DecisionService, Prepared
from semif.speed import MeasuredSpeed

_PROOF_TOKENS = 8
_LARGEST_LOGIT = 1000.0  # working models stay far below; a device that computes nothing gives the same for every token
SLOW_SECONDS = 0.2  # a few tokens that took longer are read again, warm, for the first estimate


def check_known_prompt(frame: Frame, expected: str) -> None:
    """The support-route decision renders to the pinned digest.

    Raises:
        StartFailure: It does not; both digests are named.
    """
    payload = evidence_text(SUPPORT_ROUTE.state) + criterion_text(SUPPORT_ROUTE.question, SUPPORT_ROUTE.options)
    actual = sha256(frame.prompt(payload).encode()).hexdigest()
    if actual != expected:
        raise StartFailure(
            f"the support-route prompt has sha256 {actual} where SEMIF_KNOWN_PROMPT_SHA256 says {expected}"
        )


def check_that_it_decides(service: DecisionService, engine: Engine) -> MeasuredSpeed:
    """The model decides, within the limits it is served with; how fast it reads is measured.

    Both ends of a prompt go through both decodes: whole, it would be most of a small model's start.

    Raises:
        StartFailure: It fails, gives numbers that are not finite or that no working model gives, or the limits refuse
            the support-route decision.
    """
    try:
        whole = service.prepare(DecisionRequest((SUPPORT_ROUTE,), shared=False))
    except RequestError as error:
        raise StartFailure(f"SEMIF_MAX_TOKENS or SEMIF_MAX_REQUEST_TOKENS is too small: {error.message}") from error
    work = Work(whole.work.prefix[:_PROOF_TOKENS], (whole.work.suffixes[0][-_PROOF_TOKENS:],))
    prepared = replace(whole, work=work)
    try:
        tokens, seconds = _measured(service, engine, prepared)
        if seconds > SLOW_SECONDS:  # it also paid for what only first decodes do, on a GPU for seconds
            tokens, seconds = _measured(service, engine, prepared)
    except StartFailure:
        raise
    except Exception as error:
        raise StartFailure(f"the model does not decide: {error!r}") from error
    return MeasuredSpeed(tokens, seconds)


def _measured(service: DecisionService, engine: Engine, prepared: Prepared) -> tuple[int, float]:
    tokens = engine.pending_tokens(prepared.work)
    answered = service.decide(prepared, engine, deadline=None)
    timing, logits = answered.timing, answered.results[0].readout.option_logits
    if len(set(logits)) == 1 or max(map(abs, logits)) > _LARGEST_LOGIT:
        raise StartFailure(f"the model's logits of the letters are {logits}, which no working model gives")
    return tokens, timing.prefill_seconds + timing.suffix_forward_seconds
