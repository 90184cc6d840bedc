"""What a context is asked for."""

from ctypes import CDLL, Array, Structure, addressof, c_char, c_void_p, cast


def context_params(c: CDLL, tokens: int, sequences: int, threads: int, *, abort: Array[c_char]) -> Structure:
    """Parameters of a context whose sequences do not share cells.

    Args:
        c: The library's functions.
        tokens: Cells of one sequence.
        sequences: How many sequences.
        threads: Threads of a decode.
        abort: Two zero bytes that outlive the context; the first one, set, ends a decode.
    """
    params: Structure = c.llama_context_default_params()
    params.n_ctx = tokens * sequences
    params.n_batch = tokens
    params.n_ubatch = min(512, tokens)
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
