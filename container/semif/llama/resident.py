"""Which sequence holds which state: the states of earlier requests, least recently used first out."""

from collections import OrderedDict

Tokens = tuple[int, ...]


class ResidentStates:
    """Assigns prefixes, by their token ids and nothing else, to the sequences 0 to `places` - 1."""

    def __init__(self, places: int) -> None:
        self._held: OrderedDict[Tokens, int] = OrderedDict()
        self._free = list(range(places))

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, prefix: Tokens) -> bool:
        """Whether a prefix is held; the one question that any thread may ask."""
        return prefix in self._held

    def find(self, prefix: Tokens) -> int | None:
        """The sequence that holds exactly this prefix, from now on the most recently used one."""
        sequence = self._held.get(prefix)
        if sequence is not None:
            self._held.move_to_end(prefix)
        return sequence

    def claim(self) -> int:
        """A sequence for a new prefix; what it held is forgotten here and must be removed there."""
        if not self._free:
            _, sequence = self._held.popitem(last=False)
            self._free.append(sequence)
        return self._free[-1]

    def hold(self, prefix: Tokens, sequence: int) -> None:
        """Says that a claimed sequence now holds a prefix, completely."""
        self._free.remove(sequence)
        self._held[prefix] = sequence

    def release(self, prefix: Tokens) -> None:
        """Forgets one prefix."""
        self._free.append(self._held.pop(prefix))

    def clear(self) -> None:
        """Forgets every prefix."""
        self._free += self._held.values()
        self._held.clear()
