"""Real libllama with three models: the tiny hybrid, its attention twin and SmolLM2."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from semif.llama.binding import Library
from semif.tiny_model import tiny_hybrid
from tests.model.loaded import Loaded
from tests.model.process import LLAMA, SMOLLM2
from tests.model.tiny_attention import tiny_attention


@pytest.fixture(scope="session")
def library() -> Library:
    """The library that stands in for the Deep Learning Container's."""
    return Library(LLAMA)


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The three model files."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "hybrid.gguf").write_bytes(tiny_hybrid())
    (folder / "attention.gguf").write_bytes(tiny_attention())
    return {"hybrid": folder / "hybrid.gguf", "attention": folder / "attention.gguf", "smollm2": SMOLLM2}


@pytest.fixture(scope="session", params=["hybrid", "attention", "smollm2"])
def loaded(request: pytest.FixtureRequest, library: Library, models: dict[str, Path]) -> Iterator[Loaded]:
    """Each of the models, loaded once."""
    tokens = 512 if request.param == "smollm2" else 2048  # a token of the tiny models is a byte
    with Loaded.open(library, models[request.param], tokens=tokens) as model:
        yield model


@pytest.fixture(scope="session")
def hybrid(library: Library, models: dict[str, Path]) -> Iterator[Loaded]:
    """The tiny hybrid alone."""
    with Loaded.open(library, models["hybrid"], tokens=2048) as model:
        yield model
