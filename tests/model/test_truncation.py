"""A model file that ends anywhere but at its end is no model."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semif.decision import StartFailure
from semif.llama.binding import Library
from semif.llama.model import LlamaModel
from semif.tiny_model import tiny_hybrid
from tests.model.tiny_attention import tiny_attention

pytestmark = pytest.mark.model

WHOLE = {"hybrid": tiny_hybrid(), "attention": tiny_attention()}


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted(WHOLE)), st.floats(0, 1, exclude_max=True))
def test_a_file_cut_anywhere_does_not_load(library: Library, tmp_path: Path, name: str, where: float) -> None:
    """Whatever is missing at the end, metadata, a tensor's description or its last bytes, the load is refused."""
    path = tmp_path / "cut.gguf"
    path.write_bytes(WHOLE[name][: int(len(WHOLE[name]) * where)])

    with pytest.raises(StartFailure, match="does not load"):
        LlamaModel(library, path, n_gpu_layers=0)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 6000))
def test_a_file_cut_within_its_head_does_not_load(library: Library, tmp_path: Path, size: int) -> None:
    """Each of the first bytes matters: lengths, keys, types, counts."""
    path = tmp_path / "cut.gguf"
    path.write_bytes(WHOLE["hybrid"][:size])

    with pytest.raises(StartFailure, match="does not load"):
        LlamaModel(library, path, n_gpu_layers=0)
