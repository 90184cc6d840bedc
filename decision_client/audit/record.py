"""The lines of an audit trail: decisions, failures and later corrections. None holds a state, question or description.

An answer's `prompt_sha256` is in none of them: it is a digest without a key, of a text that contains the state.
"""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, TypeAdapter, model_validator

from decision_client.answer import Answer, Logit, Seconds
from decision_client.definition import DefinitionReference, QuestionType
from decision_client.identity import Identity
from decision_client.outcome import Outcome
from decision_client.policy import DecisionPolicy
from decision_client.values import Frozen, Sha256, Share, Text, Version


class Hashes(Frozen):
    """Keyed hashes (HMAC-SHA-256, in hex) of what was asked; `key_id` names the key, which is never in a trail."""

    key_id: Text
    state: Sha256
    question: Sha256
    options: Sha256
    """Of ids and descriptions, in the order asked."""


class PolicyReference(Frozen):
    """The policy that was applied."""

    version: Version
    sha256: Sha256

    @classmethod
    def of(cls, policy: DecisionPolicy) -> "PolicyReference":
        """Name a policy."""
        return cls(version=policy.version, sha256=policy.sha256)


class Scores(Frozen):
    """What the endpoint answered; lists follow the record's `option_ids`."""

    choice: Text
    tie: bool
    low_mass: bool
    low_margin: bool
    probabilities: tuple[Share, ...]
    option_logits: tuple[Logit, ...]
    allowed_token_mass: Share
    input_tokens: int
    forward_seconds: Seconds
    total_seconds: Seconds

    @classmethod
    def of(cls, answer: Answer) -> "Scores":
        """Take the scores from an answer."""
        return cls(**{name: getattr(answer, name) for name in cls.model_fields})


class Failure(Frozen):
    """The client's exception, the HTTP status of the last attempt and the container's or the service's code."""

    error: Text
    status: int | None
    code: str


class _Line(Frozen):
    schema_version: Literal[1] = 1
    id: Text
    """Of this line alone; two lines with one id are one that was written twice."""
    time: AwareDatetime
    """UTC: when the decision was asked for, or when it was corrected."""
    caller_id: str
    """The id that the application gave the decision, or a keyed hash of it; empty where it gave none that is a text."""


class _Asked(_Line):
    caller_id_hashed: bool = False
    definition: DefinitionReference
    type: QuestionType
    option_ids: Annotated[tuple[Text, ...], Field(min_length=2)]
    abstain_option: Text | None
    hashes: Hashes | None
    """None where the key could not be used; such a record cannot be replayed."""
    policy: PolicyReference | None
    seconds: Seconds
    """From the call to the answer or the failure, waits included."""
    waited_seconds: Seconds
    """Of these, the time between attempts."""
    attempts: Annotated[int, Field(ge=0)]
    """Requests sent; 0 if it was refused before."""
    refusals: Annotated[int, Field(ge=0)]
    """Of these, refused for lack of capacity."""
    shared: Annotated[int, Field(ge=1)]
    """Decisions of the one request that this was part of."""


class DecisionRecord(_Asked):
    """A decision that was answered, and what the policy made of it."""

    kind: Literal["decision"] = "decision"
    identity: Identity
    scores: Scores
    outcome: Outcome

    @model_validator(mode="after")
    def _consistent(self) -> "DecisionRecord":
        if not len(self.option_ids) == len(self.scores.probabilities) == len(self.scores.option_logits):
            raise ValueError("option_ids, probabilities and option_logits differ in length")
        if self.scores.choice not in self.option_ids:
            raise ValueError("choice: is none of option_ids")
        return self


class FailureRecord(_Asked):
    """A decision that was asked for and not answered."""

    kind: Literal["failure"] = "failure"
    failure: Failure


class OverrideRecord(_Line):
    """What somebody decided later. `decision` is the id of the record, `answered` what the endpoint had chosen."""

    kind: Literal["override"] = "override"
    decision: Text
    definition: DefinitionReference
    answered: Text
    choice: Text
    by: Text

    @property
    def agrees(self) -> bool:
        """Whether the endpoint's choice was confirmed."""
        return self.choice == self.answered


AnyRecord = DecisionRecord | FailureRecord | OverrideRecord
RECORD: TypeAdapter[AnyRecord] = TypeAdapter(Annotated[AnyRecord, Field(discriminator="kind")])
