"""What a policy is bound to and evidence has otherwise."""

from collections.abc import Iterable
from dataclasses import dataclass

from decision_client.definition import DefinitionReference
from decision_client.identity import Runtime
from decision_client.policy import Binding, DecisionPolicy


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of what the policy is bound to that the evidence has otherwise."""

    field: str
    policy: str
    evidence: str


def differences(
    policy: DecisionPolicy, reference: DefinitionReference, binding: Binding, runtimes: Iterable[Runtime]
) -> tuple[Difference, ...]:
    """Name every field for which the client would not act on the evidence's answers."""
    found = [
        Difference(f"{name}.{field}", str(getattr(of_policy, field)), str(getattr(of_evidence, field)))
        for name, of_policy, of_evidence in (
            ("definition", policy.definition, reference),
            ("binding", policy.binding, binding),
        )
        for field in type(of_policy).model_fields
        if getattr(of_policy, field) != getattr(of_evidence, field)
    ]
    covered = "; ".join(map(described, policy.runtimes))
    found += [Difference("runtime", covered, described(each)) for each in runtimes if each not in policy.runtimes]
    return tuple(found)


def described(runtime: Runtime) -> str:
    """Return a runtime in words."""
    device = f" on {runtime.device}" if runtime.device else ""
    return f"{runtime.backend}{device}, {runtime.layers_offloaded} layers offloaded, {runtime.serving_path}"
