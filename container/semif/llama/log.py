"""What libllama says while it works: kept for errors and for facts no getter tells."""

from collections import deque
from ctypes import CDLL, CFUNCTYPE, c_char_p, c_int, c_void_p

_WARN, _ERROR, _CONTINUED = 3, 4, 5
_CALLBACK = CFUNCTYPE(None, c_int, c_char_p, c_void_p)
_installed: list[object] = []  # the library calls the pointer for the life of the process: it must never be freed


class LogCapture:
    """Takes over the library's log for the life of the process; the last lines stay readable."""

    def __init__(self, llama: CDLL) -> None:
        self._lines: deque[tuple[int, str]] = deque(maxlen=2000)
        callback = _CALLBACK(self._keep)
        _installed.append(callback)
        llama.llama_log_set.argtypes = [_CALLBACK, c_void_p]
        llama.llama_log_set.restype = None
        llama.llama_log_set(callback, None)

    def clear(self) -> None:
        """Forgets what was said so far."""
        self._lines.clear()

    def lines(self) -> list[str]:
        """Everything kept, oldest first."""
        return [text for _, text in self._lines]

    def last_error(self) -> str:
        """The first error since the last `clear`, else the last warning, in one line."""
        errors = [text for level, text in self._lines if level == _ERROR]
        warnings = [text for level, text in self._lines if level == _WARN]
        return (errors[:1] or warnings[-1:] or ["the library gave no reason"])[0]

    def _keep(self, level: int, text: bytes | None, _data: int | None) -> None:
        line = (text or b"").decode("utf-8", "replace").strip()
        if line and level != _CONTINUED:
            self._lines.append((level, line))
