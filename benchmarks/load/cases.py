"""What clients send: short single decisions and questions about a few states, each with the only right answer."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.loaded_model import LoadedModel, as_decision
from benchmarks.plain_decode import ExpectedAnswers
from benchmarks.workload import Body, history, questions, short_decision

STATES = 6
_SHORTEST_TOKENS, _TOKENS_MORE = 120, 50
_ASKED = 4
PROMPT_TOKENS = 1024  # no prompt of these is longer


@dataclass(frozen=True, slots=True)
class Case:
    """A request's body and, per decision in order, the id and the option logits that must come back."""

    body: bytes
    expected: tuple[tuple[str, tuple[float, ...]], ...]

    def fault(self, answer: Body) -> str | None:
        """What is wrong with an answer, or None; logits must agree to the bit."""
        found = [answer["result"]] if "result" in answer else answer.get("results", [])
        if [result["id"] for result in found] != [id_ for id_, _ in self.expected]:
            return "other decisions than asked were answered"
        for result, (id_, logits) in zip(found, self.expected, strict=True):
            if tuple(result["option_logits"]) != logits:
                return f"{id_} has the logits {result['option_logits']} where {list(logits)} are right"
            if result["choice"] != result["option_ids"][logits.index(max(logits))]:
                return f"{id_} names another choice than its logits do"
        return None


def cases(loaded: LoadedModel, threads: int) -> list[Case]:
    """Makes the cases and computes their answers in this process, each decision by itself."""
    context = loaded.context(tokens=PROMPT_TOKENS, sequences=2, threads=threads)
    expected = ExpectedAnswers(context)

    def case(decisions: Sequence[Body], *, shared: bool) -> Case:
        values = [as_decision(each) for each in decisions]
        prefix, suffixes = loaded.tokenizer.prefix(values[0]), [loaded.tokenizer.suffix(value) for value in values]
        found = [expected.logits(prefix, [suffix])[0] for suffix in suffixes]
        logits = [
            tuple(float(full[id_]) for id_ in loaded.tokenizer.letter_ids[: len(value.options)])
            for value, full in zip(values, found, strict=True)
        ]
        body = {"decisions": decisions} if shared else {"decision": decisions[0]}
        ids = (value.id for value in values)
        return Case(json.dumps(body).encode(), tuple(zip(ids, logits, strict=True)))

    made = [case([short_decision(number)], shared=False) for number in range(STATES)]
    for number in range(STATES):
        state = history(number, tokens=_SHORTEST_TOKENS + _TOKENS_MORE * number, count=loaded.count)
        asked = questions(state)
        made.append(case(asked[number : number + _ASKED], shared=True))
        made.append(case([asked[number + _ASKED]], shared=False))
    context.close()
    return made
