"""What each alarm of an endpoint means, written once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class AlarmText:
    """What an alarm means, and what to do first; docs/operations.md says the same."""

    meaning: str
    first: str

    def __str__(self) -> str:
        return f"{self.meaning} First: {self.first}"


TEXTS: Final[Mapping[str, AlarmText]] = {
    "ServerErrors": AlarmText(
        "The container or SageMaker fails requests; the decision endpoint's 503s are among them.",
        "if Rejections is on too, act on that one; else read the endpoint's log for lines of status 500.",
    ),
    "ModelLatency": AlarmText(
        "The slowest twentieth of the answers takes longer than agreed.",
        "compare queue and forward time on the dashboard: a long queue needs instances, a long forward pass shorter "
        "prompts or a faster machine.",
    ),
    "OverheadLatency": AlarmText(
        "SageMaker itself, not the model, is slow.",
        "see whether requests became larger or clients open a connection for each; if not, ask AWS support.",
    ),
    "NoHealthyInvocations": AlarmText(
        "Every request of ten minutes failed, whoever is to blame.",
        "ask the endpoint yourself; if it answers, look at what its callers send, else read its log and roll back.",
    ),
    "Rejections": AlarmText(
        "More requests came than there are places: callers are sent away with 503.",
        "see in the metric's Reason what was missing, then raise scaling's maximum or the number of instances.",
    ),
    "EngineErrors": AlarmText(
        "Requests ended with 500: a fault of the container, which replaces itself if its engine is broken.",
        "find error and trace in the log's lines of status 500; if it began with a deployment, roll back.",
    ),
    "DeadlineAborts": AlarmText(
        "Requests were stopped at their deadline: the machine is slower than it was measured to be.",
        "compare forward time with the day before, and the instance type with the one you pay for.",
    ),
    "LowMass": AlarmText(
        "The model puts little probability on the declared options: its answers are worth less.",
        "find out which questions changed; compare the answers' model block with the pins.",
    ),
}
