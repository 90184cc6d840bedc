"""Which tasks fit the temperature and which certify: a function of a task's id and a seed alone.

Repeats and rotations have their task's id, so they stay on its side, and so do tasks that are added later: a task that
a temperature has seen never certifies a threshold of it. Both sides are samples of the same tasks, drawn by the hash.
"""

import hashlib


def certifies(task: str, *, seed: int, share: float) -> bool:
    """Say whether a task is of the `share` that certifies; the others fit."""
    digest = hashlib.sha256(f"{seed}:{task}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64
