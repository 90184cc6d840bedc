"""Which parameter layouts are taken for which bytes."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semif.llama.abi import LAYOUTS, PROBE_BYTES, AbiError, Layout, choose_layout
from semif.llama.structs import ContextParams160

CONTEXT = struct.pack(
    "<7I7i6fIf4x4xQ2iQQ6?2xQQQ",
    *(512, 2048, 512, 1, 0, 0, 1),
    *(4, 4, 0, -1, -1, -1, -1),
    *(0.0, 0.0, -1.0, -1.0, -1.0, -1.0),
    *(0, -1.0, 0, 1, 1, 0, 0),
    *(0, 1, 1, 1, 1, 0, 0, 0, 0),
)
MODEL_72 = struct.pack("<QQ4iQQQQ6?2x", 0, 0, -1, 1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)
MODEL_80 = struct.pack("<QQ5i4xQQQQ6?2x", 0, 0, -1, 1, -1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)
OLD_MODEL = struct.pack("<QQ3i4xQQQQ8?", 0, 0, -1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0)
OLD_CONTEXT = CONTEXT[:20] + CONTEXT[28:]
RUBBISH = bytes(range(1, 256)) * 3


def probe(raw: bytes) -> bytes:
    """What a call leaves behind: the struct, then whatever was on the stack."""
    return (raw + RUBBISH)[:PROBE_BYTES]


def test_specimens_have_the_documented_sizes() -> None:
    """The specimens are as long as the builds' structs."""
    assert (len(MODEL_72), len(MODEL_80), len(CONTEXT)) == (72, 80, 160)


@pytest.mark.parametrize(("model", "builds"), [(MODEL_72, "b10429 to b10435"), (MODEL_80, "v0.5.0, b11434")])
def test_known_build_is_recognised(model: bytes, builds: str) -> None:
    """Each known build's defaults choose its layout, whatever stands behind the struct."""
    assert choose_layout(probe(model), probe(CONTEXT)).builds == builds


@pytest.mark.parametrize(
    ("model", "context"),
    [
        (OLD_MODEL, OLD_CONTEXT),
        (OLD_MODEL, CONTEXT),
        (MODEL_72, OLD_CONTEXT),
        (MODEL_80[:16] + bytes(8) + MODEL_80[16:], CONTEXT),
        (MODEL_72, bytes(8) + CONTEXT),
        (bytes(80), bytes(160)),
    ],
)
def test_unknown_build_is_refused_with_what_was_read(model: bytes, context: bytes) -> None:
    """Structs of a build as old as b9371, or shifted by one field, fit nothing, and the refusal quotes them."""
    with pytest.raises(AbiError, match=r"fit 0 of the known layouts .*llama_model_default_params reads \[0 0 0 0"):
        choose_layout(probe(model), probe(context))


@pytest.mark.parametrize(
    "name",
    [
        *("n_ctx", "n_batch", "n_ubatch", "n_seq_max", "n_threads", "n_threads_batch", "flash_attn_type"),
        *("type_k", "type_v", "embeddings", "offload_kqv", "swa_full", "kv_unified"),
    ],
)
def test_every_known_default_of_a_context_counts(name: str) -> None:
    """A field that reads another default stands somewhere else: the build is not one of the known ones."""
    params = ContextParams160.from_buffer_copy(CONTEXT)
    setattr(params, name, not getattr(params, name))

    with pytest.raises(AbiError, match="fit 0 of the known layouts"):
        choose_layout(probe(MODEL_80), probe(bytes(params)))


@pytest.mark.parametrize(("layout", "specimen"), [(LAYOUTS[0], MODEL_72), (LAYOUTS[1], MODEL_80)])
def test_every_known_default_of_a_model_counts(layout: Layout, specimen: bytes) -> None:
    """The same for the parameters of a model, in each layout."""
    for name in (
        *("n_gpu_layers", "split_mode", "load_mode", "main_gpu", "vocab_only", "check_tensors"),
        *("use_extra_bufts", "no_alloc"),
    ):
        params = layout.model_params.from_buffer_copy(specimen)
        setattr(params, name, not getattr(params, name))

        with pytest.raises(AbiError, match="fit 0 of the known layouts"):
            choose_layout(probe(bytes(params)), probe(CONTEXT))


@given(st.binary(min_size=PROBE_BYTES, max_size=PROBE_BYTES), st.binary(min_size=PROBE_BYTES, max_size=PROBE_BYTES))
def test_whatever_is_read_is_refused_in_one_sentence(model: bytes, context: bytes) -> None:
    """No bytes of an unknown build lead to anything but a refusal that quotes them."""
    with pytest.raises(AbiError, match="this libllama's parameter structs fit 0"):
        choose_layout(model, context)
