"""A changed endpoint is checked anew, and nothing else makes it so."""

import re
from pathlib import Path

import pytest

from tests.template.synthesis import read, synthesize, template
from tests.unit.config.environment_files import changed

KIND = "Custom::CheckedEndpoint"


@pytest.mark.parametrize(
    ("stack", "replacement"),
    [
        ("chat", ("ml.c6i.2xlarge", "ml.c6i.4xlarge")),
        ("chat", ("initial_instance_count = 1", "initial_instance_count = 2")),
        ("chat", ("startup_health_check_timeout_seconds = 900", "startup_health_check_timeout_seconds = 901")),
        ("chat", ("context_tokens = 4096", "context_tokens = 2048")),
        ("decision", ("threads = 32", "threads = 16")),
        ("decision", ("max_waiting = 4", "max_waiting = 5")),
        ("decision", ("016267542103ab91422c425d2234ec7e1b9aef77f9d3e481b96db2de7cca470a", "0" * 64)),
        ("decision", ("1f19c220f5f169228f20cdddca00f4838be22a3a1ce9002bc444006adc3d6d43", "0" * 64)),
        ("chat", ("1f19c220f5f169228f20cdddca00f4838be22a3a1ce9002bc444006adc3d6d43", "0" * 64)),
        ("decision", ("851bf6e806efd8d0a36b00ddf55e13ccb7b8cd0a", "0" * 40)),
    ],
)
def test_changed_endpoint_is_checked_by_a_new_resource(
    tmp_path: Path, stack: str, replacement: tuple[str, str]
) -> None:
    """A new check is rolled back by a delete, which does nothing; an update would have to pass once more."""
    changed(tmp_path, "dev", replacement)
    after = read(synthesize("dev", tmp_path / "out", tmp_path), "dev", stack)

    assert re.fullmatch(r"CheckedEndpoint[0-9a-f]{16}", after.only(KIND)[0])
    assert after.only(KIND)[0] != template("dev", stack).only(KIND)[0]


def test_change_beside_the_endpoint_checks_nothing_again(tmp_path: Path) -> None:
    """How long logs are kept is nothing that an endpoint runs."""
    changed(tmp_path, "dev", ("log_retention_days = 90", "log_retention_days = 30"))
    folder = synthesize("dev", tmp_path / "out", tmp_path)

    for stack in ("chat", "decision"):
        assert read(folder, "dev", stack).only(KIND)[0] == template("dev", stack).only(KIND)[0]
