"""The value types that definitions, answers and policies share."""

import hashlib
import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]
"""Lower-case letters, digits and hyphens: fit for a file's name, a metric's dimension and a log's field."""

Version = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z][0-9A-Za-z.+-]{0,62}$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Share = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
"""Strict: a text or `true` in its place is somebody's slip, and not 1."""
Text = Annotated[str, StringConstraints(min_length=1)]


class Frozen(BaseModel):
    """A value that is checked once, where it enters; unknown keys are refused, and no error repeats an input."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


def canonical_sha256(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return the SHA-256, in lower-case hex, of a JSON value's one canonical text."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
