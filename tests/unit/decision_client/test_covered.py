"""Which answers a policy covers, field by field: what has any of them otherwise is never acted upon."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision_client.definition import DecisionDefinition
from decision_client.identity import Identity, Runtime
from decision_client.outcome import Action, Reason, outcome
from tests.unit.decision_client.samples import DEFINITION, IDENTITY, answer, policy

BOUND = {
    ("gguf", "sha256"): "binding.gguf_sha256",
    ("gguf", "parts"): "binding.gguf_sha256",
    ("template_sha256",): "binding.template_sha256",
    ("prompt_version",): "binding.prompt_version",
    ("llama_cpp", "library_sha256"): "binding.library_sha256",
    ("image_digest",): "binding.image_digest",
    ("backend",): "runtime",
    ("device",): "runtime",
    ("layers_offloaded",): "runtime",
    ("serving_path",): "runtime",
}
# Named by a digest above, settled by the image, or of no influence on a canonical answer.
FREE = {
    ("name",),
    ("gguf", "file"),
    ("gguf", "bytes"),
    ("tokenizer",),
    ("llama_cpp", "version"),
    ("n_gpu_layers",),
    ("layers_total",),
    ("threads",),
    ("context_tokens",),
    ("adapter_version",),
    ("something_new",),
}
SHA256 = st.text("0123456789abcdef", min_size=64, max_size=64)
PART = st.fixed_dictionaries({"file": st.just("b.gguf"), "bytes": st.integers(1, 99), "sha256": SHA256})


def _paths(model: type[Any], *before: str) -> Iterator[tuple[str, ...]]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        if before == () and hasattr(inner, "model_fields"):
            yield from _paths(inner, name)
        else:
            yield (*before, name)


def _other(path: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """Values that a field may have, of its own type."""
    if path[-1].endswith("sha256"):
        return SHA256
    if path == ("gguf", "parts"):
        return st.lists(PART, max_size=2)
    if path == ("tokenizer",):
        return st.none() | st.fixed_dictionaries({"source": st.text(min_size=1), "revision": st.text(min_size=1)})
    if path == ("device",):
        return st.none() | st.text(min_size=1)
    if path[-1] in {"bytes", "n_gpu_layers", "layers_offloaded", "layers_total", "threads", "context_tokens"}:
        return st.integers(0, 10_000)
    return st.text(min_size=1)


def _changed(changes: dict[tuple[str, ...], Any]) -> dict[str, Any]:
    identity = copy.deepcopy(IDENTITY)
    for path, value in changes.items():
        place = identity
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
    return identity


def test_every_field_of_an_identity_is_bound_or_said_to_be_free() -> None:
    """A field that is added has to be put into one of the two."""
    assert set(_paths(Identity)) == (BOUND.keys() | FREE) - {("something_new",)}


@given(data=st.data())
@pytest.mark.parametrize(("path", "named"), BOUND.items(), ids=[".".join(path) for path in BOUND])
def test_answer_with_another_value_of_a_bound_field_is_never_acted_upon(
    path: tuple[str, ...], named: str, data: st.DataObject
) -> None:
    """Whatever the value is and however sure the answer; the field is named and the score is not called calibrated."""
    changed = _changed({path: data.draw(_other(path))})
    answered = answer(model=changed, allowed_token_mass=1.0)
    same = answered.model == answer().model
    judged = outcome(DEFINITION, answered, policy(act=0.0, review=None, min_mass=0, min_margin=0))
    assert (judged.action is Action.ACT) == judged.calibrated == same
    assert judged.mismatch == ("" if same else named)


@given(data=st.data(), bound=st.sampled_from(list(BOUND)), others=st.sets(st.sampled_from([*BOUND, *FREE])))
def test_answer_from_anywhere_else_is_never_acted_upon(
    data: st.DataObject, bound: tuple[str, ...], others: set[tuple[str, ...]]
) -> None:
    """Any number of other changes beside one of a bound field does not make up for it."""
    changed = _changed({path: data.draw(_other(path)) for path in sorted({bound, *others})})
    answered = answer(model=changed)
    judged = outcome(DEFINITION, answered, policy())
    if any(_value(changed, path) != _value(IDENTITY, path) for path in BOUND):
        assert (judged.action, judged.reason, judged.calibrated) == (Action.REVIEW, Reason.POLICY_MISMATCH, False)
    else:
        assert judged.calibrated


@given(data=st.data(), paths=st.sets(st.sampled_from(sorted(FREE)), min_size=1))
def test_answer_that_differs_in_nothing_bound_is_acted_upon(data: st.DataObject, paths: set[tuple[str, ...]]) -> None:
    """Another file name, number of threads or a field of a newer container is no other evidence."""
    changed = _changed({path: data.draw(_other(path)) for path in sorted(paths)})
    assert outcome(DEFINITION, answer(model=changed), policy()).action is Action.ACT


def _value(identity: dict[str, Any], path: tuple[str, ...]) -> object:
    place: Any = identity
    for key in path:
        place = place.get(key) or None if key == "parts" else place[key]
    return place


@given(members=st.sets(st.sampled_from(["T4", "L4", "L40S", "A10G"]), max_size=3), device=st.sampled_from(["T4", "L4"]))
def test_pool_member_is_acted_upon_only_if_the_policy_names_it(members: set[str], device: str) -> None:
    """The other members' evidence does not speak for it."""
    named = tuple(
        Runtime(backend="CUDA", device=each, layers_offloaded=3, serving_path="canonical") for each in members
    )
    model = {**IDENTITY, "backend": "CUDA", "device": device, "layers_offloaded": 3}
    made = policy(runtimes=(answer().model.runtime, *named))
    assert (outcome(DEFINITION, answer(model=model), made).action is Action.ACT) == (device in members)


WORDINGS: list[dict[str, Any]] = [
    {"question": "Which queue should handle this request? "},
    {"type": "score"},
    {"abstain_option": None},
    {"abstain_option": "billing"},
    {"options": DEFINITION.options[::-1]},
    {"options": DEFINITION.options[:2], "abstain_option": None},
    {"options": ({"id": "account", "description": "Account access!"}, *DEFINITION.options[1:])},
    {"options": ({"id": "accounts", "description": "Account access."}, *DEFINITION.options[1:])},
    {"version": "1.0"},
    {"name": "support-routes"},
]


@pytest.mark.parametrize("changed", WORDINGS)
def test_other_wording_under_the_same_version_is_never_acted_upon(changed: dict[str, Any]) -> None:
    """One character, the order, the type or the abstain option: what was labelled was another question."""
    reworded = DecisionDefinition.model_validate({**DEFINITION.model_dump(), **changed})
    judged = outcome(reworded, answer(), policy())
    assert (judged.action, judged.reason) == (Action.REVIEW, Reason.POLICY_MISMATCH)
    assert judged.mismatch.startswith("definition.")
