"""Results whose truth is known, made without a model: single lines, and scorers that are right as often as they say."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from decision_client.definition import DecisionDefinition, Option, QuestionType
from decision_client.identity import Identity
from decision_client.scores import calibrated
from evidence.records import Answered, Failed, IdentityLine, Run, TaskFile
from evidence.results import Results
from tests.unit.decision_client import samples


def identity(**changed: Any) -> Identity:
    """An identity record, with top-level fields changed."""
    return Identity.model_validate({**samples.IDENTITY, **changed})


def definition(options: int = 3, kind: QuestionType = "choice", name: str = "synthetic") -> DecisionDefinition:
    """A definition with options `a`, `b`, `c` and so on."""
    named = tuple(Option(id=letter, description=f"Option {letter}.") for letter in letters(options))
    return DecisionDefinition(name=name, version="1", type=kind, question="Which one?", options=named)


def letters(options: int) -> tuple[str, ...]:
    """The ids of that many options."""
    return tuple("abcdefghijklmnop"[:options])


def answered(task: str, logits: Sequence[float] = (2.0, 1.0, 0.0), gold: str = "a", **changed: Any) -> Answered:
    """An answer with these logits that chooses the highest, the first of equal ones; other fields can be changed."""
    ids = changed.get("option_ids", letters(len(logits)))
    choice = ids[max(range(len(logits)), key=logits.__getitem__)]
    values: dict[str, Any] = {
        "task": task,
        "family": "routing",
        "type": "choice",
        "definition": definition(len(logits)).reference,
        "phase": "sequential",
        "repeat": 0,
        "rotation": 0,
        "started_seconds": 0.0,
        "client_seconds": 0.2,
        "attempts": 1,
        "gold": gold,
        "choice": choice,
        "correct": choice == gold,
        "tie": len(set(logits)) < len(logits),
        "option_ids": ids,
        "probabilities": calibrated(logits, 1.0),
        "option_logits": tuple(logits),
        "allowed_token_mass": 0.9,
        "input_tokens": 130,
        "prompt_sha256": hashlib.sha256(task.encode()).hexdigest(),
        "identity": identity().sha256,
        "forward_seconds": 0.1,
        "total_seconds": 0.15,
    }
    return Answered.model_validate({**values, **changed})


def failed(task: str, gold: str = "a", **changed: Any) -> Failed:
    """A decision that stayed without an answer."""
    shared = answered(task, gold=gold).model_dump(include=set(Failed.model_fields) - {"kind"})
    return Failed.model_validate({**shared, "error": "EndpointBusyError", "status": 503, "code": "busy", **changed})


def results(lines: Iterable[Answered | Failed], *identities: Identity, run: str = "run-1", note: str = "") -> Results:
    """The results of one run; without identities, all answers carry `identity()`."""
    lines = tuple(lines)
    return Results(
        run=Run(
            id=run,
            target="http://127.0.0.1:8080",
            started="2026-01-02T03:04:05Z",
            tasks=(TaskFile(name="tasks.jsonl", sha256="f" * 64, rows=len({line.task for line in lines}), note=note),),
            settings={"concurrency": [1], "repeat": 1},
        ),
        identities={each.sha256: each for each in identities or (identity(),)},
        answers=[line for line in lines if isinstance(line, Answered)],
        failures=[line for line in lines if isinstance(line, Failed)],
    )


def write(made: Results, file: Path) -> Path:
    """Write a results file as a run does."""
    records = [IdentityLine(sha256=digest, record=record) for digest, record in made.identities.items()]
    lines = [made.run, *records, *made.answers, *made.failures]
    file.write_text("".join(f"{line.model_dump_json()}\n" for line in lines), encoding="utf-8")
    return file


@dataclass(frozen=True)
class Scorer:
    """A model whose truth is known.

    Attributes:
        temperature: What its logits have to be divided by to be right as often as they say: 1 is perfectly calibrated,
            more is over-confident, less is under-confident.
        informative: Whether its logits know anything of gold; a useless scorer's are noise, and gold is any option.
        spread: Standard deviation of the true logits; the greater, the more often it is right.
        options: How many it chooses among.
        position_prior: Added to the logit of whatever stands at that place; empty for none.
    """

    temperature: float = 1.0
    informative: bool = True
    spread: float = 2.0
    options: int = 3
    position_prior: tuple[float, ...] = ()

    def answers(self, tasks: int, seed: int, *, rotations: int = 1, **changed: Any) -> list[Answered]:
        """Answer that many tasks, each with its options moved by 0 to `rotations` - 1 places."""
        random = np.random.default_rng(seed)
        lines: list[Answered] = []
        for number in range(tasks):
            truth = random.normal(0, self.spread, self.options).tolist()
            informed = int(random.choice(self.options, p=calibrated(truth, 1.0)))
            gold = informed if self.informative else int(random.integers(self.options))
            task = f"task-{number:05}"
            lines += [self._answer(task, truth, gold, by, changed) for by in range(min(rotations, self.options))]
        return lines

    def _answer(self, task: str, truth: Sequence[float], gold: int, by: int, changed: dict[str, Any]) -> Answered:
        order = [(place + by) % self.options for place in range(self.options)]
        prior = self.position_prior or (0.0,) * self.options
        logits = [float(truth[option]) * self.temperature + prior[place] for place, option in enumerate(order)]
        ids = letters(self.options)
        moved = {"rotation": by, "option_ids": tuple(ids[option] for option in order)}
        of = {"definition": definition(self.options).reference}
        return answered(task, logits, ids[gold], **{**of, **moved, **changed})
