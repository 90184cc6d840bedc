"""What the commands about evidence need beyond the others, asked for when one of them runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_LIBRARIES: Final = ("jinja2", "matplotlib", "numpy", "scipy", "sklearn")


class LibraryMissingError(Exception):
    """A command's libraries are not installed; the message is one sentence."""


@contextmanager
def evidence_libraries() -> Iterator[None]:
    """Wrap the imports of a command that computes or draws.

    Raises:
        LibraryMissingError: One of its libraries is not there.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _LIBRARIES:
            raise
        raise LibraryMissingError(f"This command needs {error.name}: run `make evidence`.") from None
