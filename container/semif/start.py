"""The start: everything that must agree before the container may say it is healthy."""

import re
from concurrent.futures import Future
from dataclasses import dataclass

from semif import ADAPTER_VERSION
from semif.decision import CANONICAL, PROMPT_VERSION, StartFailure, Thresholds
from semif.engine import Engine
from semif.golden import run_golden_decision
from semif.identity import Gguf, Identity, LlamaCpp, Tokenizer
from semif.llama.context import LlamaContext
from semif.llama.engine import LlamaEngine
from semif.llama.memory import fitting_resident_states, memory_needs
from semif.llama.sequences import sequences_for
from semif.opened_model import OpenedModel
from semif.proofs import check_that_it_decides
from semif.proven_prompt import ProvenPrompt
from semif.service import DecisionService, TokenLimits
from semif.settings import Settings
from semif.speed import MeasuredSpeed
from semif.worker import EngineWorker


@dataclass(frozen=True, slots=True)
class Ready:
    """A proven model: what the server serves, what no request may contain, and how fast it read its first tokens."""

    service: DecisionService
    engine: Engine
    identity: Identity
    control_token: re.Pattern[str] | None
    speed: MeasuredSpeed
    resident_states: int


@dataclass(frozen=True, slots=True)
class Loading:
    """A model that is being loaded and proven on the thread that will own it."""

    ready: Future[Ready]
    worker: EngineWorker


def prove(settings: Settings, opened: OpenedModel, prompt: Future[ProvenPrompt]) -> Ready:
    """Proves everything but the file's digest; on the thread that opened the model and will own the context.

    Args:
        settings: What must be true.
        opened: The model.
        prompt: What another thread proves meanwhile.

    Raises:
        StartFailure: Anything does not agree with the settings; one sentence says what.
    """
    library, model, gpu = opened.library, opened.model, opened.gpu
    run_golden_decision(library)
    if settings.max_tokens > model.trained_context():
        trained = model.trained_context()
        raise StartFailure(f"SEMIF_MAX_TOKENS is {settings.max_tokens}, but the model is trained for {trained} tokens")
    resident_states = _resident_states(settings, opened)
    sequences = sequences_for(resident_states, branches=settings.branches, can_cut=model.can_cut)
    context = LlamaContext(library, model, tokens=settings.max_tokens, sequences=sequences, threads=settings.threads)
    proven = prompt.result()
    identity = Identity(
        name=settings.model_name,
        gguf=Gguf(settings.model_file, settings.gguf_bytes, settings.gguf_sha256, settings.gguf_parts),
        template_sha256=proven.template_sha256,
        prompt_version=PROMPT_VERSION,
        tokenizer=_tokenizer_pin(settings),
        llama_cpp=LlamaCpp(library.version, library.sha256),
        backend=gpu[0] if gpu and model.layers_offloaded else library.cpu_variant(),
        device=gpu[1] if gpu and model.layers_offloaded else None,
        n_gpu_layers=settings.n_gpu_layers,
        layers_offloaded=model.layers_offloaded,
        layers_total=model.layers_total,
        threads=settings.threads,
        context_tokens=context.tokens,
        serving_path=CANONICAL,
        image_digest=settings.image_digest,
        adapter_version=ADAPTER_VERSION,
    )
    limits = TokenLimits(settings.max_tokens, settings.max_request_tokens)
    service = DecisionService(
        proven.frame, proven.tokenizer, limits, Thresholds(settings.min_token_mass, settings.min_margin)
    )
    engine = LlamaEngine(context, resident_states=resident_states, branches=settings.branches)
    return Ready(
        service=service,
        engine=engine,
        identity=identity,
        control_token=proven.control_token,
        speed=check_that_it_decides(service, engine),
        resident_states=resident_states,
    )


def _resident_states(settings: Settings, opened: OpenedModel) -> int:
    model = opened.model
    on_gpu = model.layers_offloaded == model.layers_total
    needs = memory_needs(
        model.shape,
        weights=0 if on_gpu else settings.weights_bytes,  # on a GPU they are there already
        vocabulary=model.vocabulary.size,
        decisions=min(settings.max_shared_decisions, settings.max_request_tokens),  # each has a token at least
    )
    free = opened.library.gpu_memory() if on_gpu else None
    return fitting_resident_states(
        needs,
        tokens=settings.max_tokens + model.padding.most,
        scratch=sequences_for(0, branches=settings.branches, can_cut=model.can_cut) - 1,
        asked=settings.resident_states,
        limit=opened.memory_limit if free is None else free,
    )


def _tokenizer_pin(settings: Settings) -> Tokenizer | None:
    if settings.tokenizer_repository is None or settings.tokenizer_revision is None:
        return None
    return Tokenizer(settings.tokenizer_repository, settings.tokenizer_revision)
