"""Options that take several values after one another, as in `--tasks a.jsonl b.jsonl`."""

from collections.abc import Iterator, Sequence
from typing import Any

from typer.core import TyperCommand, TyperOption


class Several(TyperCommand):
    """A command whose options with a metavar that ends in `...` take all values up to the next option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - typer's own copy of click makes it
        """Repeat such an option before each of its values, which is how click reads it."""
        names = {
            name
            for each in self.params
            if isinstance(each, TyperOption) and (each.metavar or "").endswith("...")
            for name in each.opts
        }
        return super().parse_args(ctx, list(_repeated(args, names)))


def _repeated(args: Sequence[str], names: set[str]) -> Iterator[str]:
    option, fresh = "", False
    for each in args:
        if each.startswith("-"):
            option, fresh = (each if each in names else ""), True
        elif option and not fresh:
            yield option
        elif option:
            fresh = False
        yield each
