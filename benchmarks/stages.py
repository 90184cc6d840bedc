"""What the container spends around a forward pass, stage by stage, in this process and on the real vocabulary."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count

from benchmarks.interval import bootstrap
from benchmarks.loaded_model import as_decision
from benchmarks.plain_decode import floor
from benchmarks.trial import Trial
from benchmarks.workload import short_decision
from semif.scoring import read_out
from semif.tokens import control_token_pattern
from semif.wire import parse_request

_REPEATS = 50


def milliseconds(trial: Trial) -> dict[str, float]:
    """Median of each stage for one short decision, in milliseconds."""
    vocabulary, tokenizer = trial.loaded.model.vocabulary, trial.loaded.tokenizer
    body = short_decision(0)
    raw, decision = json.dumps({"decision": body}).encode(), as_decision(body)
    pattern = control_token_pattern(vocabulary)
    logits = floor(trial.floor, tokenizer.prefix(decision) + tokenizer.suffix(decision))
    letter_ids = tokenizer.letter_ids[: len(decision.options)]
    case = count()
    stages: dict[str, Callable[[], object]] = {
        "read and check JSON": lambda: parse_request(raw, 1, pattern),
        "tokens of a state": lambda: tokenizer.prefix(decision),
        "tokens of a question that is new": lambda: tokenizer.suffix(replace(decision, question=f"Case {next(case)}?")),
        "tokens of a question that was asked before": lambda: tokenizer.suffix(decision),
        "softmax over the vocabulary": lambda: read_out(logits, letter_ids),
    }
    return {name: _median_milliseconds(stage) for name, stage in stages.items()}


def _median_milliseconds(stage: Callable[[], object]) -> float:
    found = []
    for _ in range(_REPEATS):
        began = time.perf_counter()
        stage()
        found.append((time.perf_counter() - began) * 1000)
    return bootstrap(found).median
