"""One answer of the decision endpoint, checked as it arrives."""

from typing import Annotated

from pydantic import ConfigDict, Field, model_validator

from decision_client.identity import Identity
from decision_client.values import Frozen, Sha256, Share, Text

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Logit = Annotated[float, Field(allow_inf_nan=False)]


class Answer(Frozen):
    """A result as docs/decision-api.md describes it; lists follow `option_ids`, times are seconds."""

    # A newer container may add fields.
    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    id: Text
    choice: Text
    tie: bool
    low_mass: bool
    low_margin: bool
    option_ids: Annotated[tuple[Text, ...], Field(min_length=2)]
    probabilities: tuple[Share, ...]
    option_logits: tuple[Logit, ...]
    allowed_token_mass: Share
    input_tokens: Annotated[int, Field(gt=0)]
    prompt_sha256: Sha256
    prompt_version: Text
    model: Identity
    forward_seconds: Seconds
    total_seconds: Seconds

    @model_validator(mode="after")
    def _consistent(self) -> "Answer":
        if not len(self.option_ids) == len(self.probabilities) == len(self.option_logits):
            raise ValueError("option_ids, probabilities and option_logits differ in length")
        if self.choice not in self.option_ids:
            raise ValueError("choice: is none of option_ids")
        return self
