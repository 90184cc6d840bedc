"""The memory formula against what the library really allocates."""

import re
from concurrent.futures import Future
from pathlib import Path

import pytest

from semif.decision import StartFailure
from semif.llama.binding import Library
from semif.llama.context import LlamaContext
from semif.llama.memory import memory_needs
from semif.llama.model import LlamaModel
from semif.opened_model import open_model
from semif.settings import read_settings
from semif.start import prove
from tests.model.process import SMOLLM2_PROMPT, environment

pytestmark = pytest.mark.model

MIB = 1 << 20


def allocated(library: Library, pattern: str) -> float:
    """MiB the library said it allocated for buffers of a kind."""
    lines = [re.search(pattern + r" buffer size =\s+([0-9.]+) MiB", line) for line in library.log.lines()]
    return sum(float(found[1]) for found in lines if found)


@pytest.mark.parametrize("name", ["hybrid", "attention", "smollm2"])
@pytest.mark.parametrize(("tokens", "sequences"), [(512, 2), (2048, 3)])
def test_formula_is_what_the_library_allocates(
    library: Library, models: dict[str, Path], name: str, tokens: int, sequences: int
) -> None:
    """Keys, values and recurrent states are met exactly, work space by an upper bound."""
    model = LlamaModel(library, models[name], n_gpu_layers=0)
    size = model.vocabulary.size
    needs = memory_needs(model.shape, weights=models[name].stat().st_size, vocabulary=size, decisions=8)
    context = LlamaContext(library, model, tokens=tokens, sequences=sequences, threads=1)
    cache, recurrent = allocated(library, "KV"), allocated(library, "RS")
    work = allocated(library, "compute") + allocated(library, "output")
    context.close()
    model.close()

    tokens = context.tokens
    assert sequences * tokens * needs.per_token / MIB == pytest.approx(cache, abs=0.01)
    assert sequences * needs.per_sequence / MIB == pytest.approx(recurrent, abs=0.02)
    bound = needs.total(tokens=tokens, sequences=sequences) - needs.total(tokens=0, sequences=0)
    assert work <= (bound - sequences * (tokens * needs.per_token + needs.per_sequence) + needs.compute) / MIB


@pytest.mark.parametrize("limit", [64 * MIB, 300_000])
def test_a_machine_too_small_is_refused_at_start(
    models: dict[str, Path], monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    """Below what the formula says, or below the file alone, the start ends and names both figures."""
    monkeypatch.setattr("semif.opened_model.memory_limit", lambda: limit)
    settings = read_settings(environment(models["hybrid"], SMOLLM2_PROMPT))

    with pytest.raises(StartFailure, match=rf"MiB.* limit is {limit >> 20} MiB"):
        prove(settings, open_model(settings), Future())
