from pathlib import Path

import pytest

from tests.unit.config.environment_files import refusal


@pytest.mark.rule(
    "Image, machine and offloaded layers that do not fit are refused at synth", tool="pydantic", emulated=""
)
@pytest.mark.parametrize(
    ("environment", "changes", "key", "rule"),
    [
        ("dev", [("gpu_layers = 0", "gpu_layers = -1")], "decision.gpu_layers", "must be 0 on ml.c6i.8xlarge"),
        ("prod", [("gpu_layers = -1", "gpu_layers = 0")], "decision.gpu_layers", "its GPU would hold no layer"),
        ("dev", [("gpu_layers = 0", "gpu_layers = -2")], "decision.gpu_layers", "greater than or equal to -1"),
        (
            "dev",
            [("threads = 32", "threads = 33")],
            "decision.threads",
            "33 is more than the 32 vCPUs of ml.c6i.8xlarge",
        ),
        ("prod", [("threads = 4", "threads = 8")], "decision.threads", "8 is more than the 4 vCPUs of ml.g6e.xlarge"),
        (
            "dev",
            [("max_request_tokens = 8192", "max_request_tokens = 4095")],
            "decision.limits.max_request_tokens",
            "at least context_tokens",
        ),
        (
            "dev",
            [("max_body_bytes = 262144", "max_body_bytes = 6291457")],
            "decision.limits.max_body_bytes",
            "less than or equal to 6291456",
        ),
        (
            "dev",
            [("semif-dev-decision", "semif-dev-chat")],
            "decision.endpoint_name",
            "the chat endpoint's name already",
        ),
        (
            "dev",
            [('name = "dev"', 'name = "dev"\naccount = "111122223333"')],
            "environment.region",
            "required with account",
        ),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(
    tmp_path: Path, environment: str, changes: list[tuple[str, str]], key: str, rule: str
) -> None:
    """A combination that cannot work names the key to change."""
    sentence = refusal(tmp_path, environment, *changes)

    assert f"{environment}.toml: {key}: " in sentence
    assert rule in sentence
