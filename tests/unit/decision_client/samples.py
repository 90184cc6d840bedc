"""A definition, an answer and a policy that belong together."""

from typing import Any

from decision_client.answer import Answer
from decision_client.definition import DecisionDefinition, Option
from decision_client.policy import Binding, DecisionPolicy, Thresholds

DEFINITION = DecisionDefinition(
    name="support-route",
    version="1",
    question="Which queue should handle this request?",
    options=(
        Option(id="account", description="Account access."),
        Option(id="billing", description="Payments."),
        Option(id="none", description="None of these."),
    ),
    abstain_option="none",
)
IDENTITY: dict[str, Any] = {
    "name": "tiny",
    "gguf": {"file": "tiny.gguf", "bytes": 7, "sha256": "a" * 64},
    "template_sha256": "b" * 64,
    "prompt_version": "direct-options-v1",
    "tokenizer": None,
    "llama_cpp": {"version": "0.5.0", "library_sha256": "c" * 64},
    "backend": "cpu-zen4",
    "device": None,
    "n_gpu_layers": 0,
    "layers_offloaded": 0,
    "layers_total": 3,
    "threads": 2,
    "context_tokens": 4096,
    "serving_path": "canonical",
    "image_digest": "sha256:" + "d" * 64,
    "adapter_version": "0.1.0",
}


def answer(**changed: Any) -> Answer:
    """An answer to `DEFINITION` that chooses `account`, with fields changed."""
    body: dict[str, Any] = {
        "id": "d1",
        "choice": "account",
        "tie": False,
        "low_mass": False,
        "low_margin": False,
        "option_ids": ["account", "billing", "none"],
        "probabilities": [0.8437947344813395, 0.11419519938459449, 0.042010066134066056],
        "option_logits": [3.0, 1.0, 0.0],
        "allowed_token_mass": 0.9,
        "input_tokens": 130,
        "prompt_sha256": "e" * 64,
        "prompt_version": "direct-options-v1",
        "model": IDENTITY,
        "forward_seconds": 0.1,
        "total_seconds": 0.2,
    }
    return Answer.model_validate({**body, **changed})


def policy(**changed: Any) -> DecisionPolicy:
    """A policy that covers `answer()` and acts from 0.7 on, with thresholds or other fields changed."""
    thresholds: dict[str, Any] = {
        "target_risk": 0.1,
        "confidence": 0.95,
        "act": 0.7,
        "review": 0.4,
        "min_mass": 0.5,
        "min_margin": 0.1,
    }
    thresholds |= {name: changed.pop(name) for name in list(changed) if name in Thresholds.model_fields}
    identity = answer().model
    values: dict[str, Any] = {
        "version": "1",
        "definition": DEFINITION.reference,
        "binding": Binding.of(identity),
        "runtimes": (identity.runtime,),
        "temperature": 1.0,
        "thresholds": thresholds,
        "evidence": {},
    }
    return DecisionPolicy.model_validate({**values, **changed})
