"""What a context is asked for, and whether the library made exactly that."""

from ctypes import CDLL, Array, Structure, addressof, c_char, c_void_p, cast

from semif.decision import StartFailure
from semif.llama.binding import Library

_UBATCH = 512  # rows that are computed at a time, the library's default


def allocate(library: Library, model: int, *, tokens: int, sequences: int, threads: int, abort: Array[c_char]) -> int:
    """Makes a context whose sequences do not share cells, and re-reads its sizes through the getters.

    Args:
        library: What makes it.
        model: The loaded model's handle.
        tokens: Cells of one sequence.
        sequences: How many sequences.
        threads: Threads of a decode.
        abort: Two zero bytes that outlive the context; the first one, set, ends a decode.

    Returns:
        The context's handle.

    Raises:
        StartFailure: The library refuses, or made something else than was asked for.
    """
    library.log.clear()
    params = _params(library.c, tokens, sequences, threads, abort)
    handle: int | None = library.c.llama_init_from_model(model, params)
    if not handle:
        raise StartFailure(f"no context of {tokens} tokens x {sequences}: {library.log.last_error()}")
    wanted = {
        "llama_n_ctx": tokens * sequences,
        "llama_n_ctx_seq": tokens,
        "llama_n_seq_max": sequences,
        "llama_n_batch": tokens,
        "llama_n_ubatch": min(_UBATCH, tokens),
        "llama_n_threads": threads,
        "llama_n_threads_batch": threads,
    }
    for name, value in wanted.items():
        got = int(getattr(library.c, name)(handle))
        if got != value:
            raise StartFailure(f"{name} is {got} where {value} was asked for")
    return handle


def _params(c: CDLL, tokens: int, sequences: int, threads: int, abort: Array[c_char]) -> Structure:
    params: Structure = c.llama_context_default_params()
    params.n_ctx = tokens * sequences
    params.n_batch = tokens
    params.n_ubatch = min(_UBATCH, tokens)
    params.n_seq_max = sequences
    params.n_outputs_max = sequences  # fewer than n_seq_max ends the process
    params.n_threads = params.n_threads_batch = threads
    params.kv_unified = False
    params.no_perf = True
    # The library polls this between graph nodes. strlen of a two-byte buffer is 0 (go on) until its
    # first byte is set (stop): a C function, so that no decode ever waits for the interpreter lock.
    params.abort_callback = cast(CDLL(None).strlen, c_void_p).value
    params.abort_callback_data = addressof(abort)
    return params
