from pathlib import Path

import pytest

from config.loader import load
from tests.unit.config.environment_files import changed, refusal

PROTECTION = "[protection]"


def network(subnets: str, groups: str) -> tuple[str, str]:
    """Return the change that adds a VPC."""
    return PROTECTION, f"[network]\nsubnet_ids = {subnets}\nsecurity_group_ids = {groups}\n\n{PROTECTION}"


ONE, OTHER, GROUP = "subnet-0123456789abcdef0", "subnet-0123456789abcdef1", "sg-0123456789abcdef0"


def test_network_is_two_subnets_and_a_group(tmp_path: Path) -> None:
    """Ids are taken as they are; nothing is looked up."""
    loaded = load("dev", changed(tmp_path, "dev", network(f'["{ONE}", "{OTHER}"]', f'["{GROUP}"]'))).network

    assert loaded
    assert (loaded.subnet_ids, loaded.security_group_ids) == ((ONE, OTHER), (GROUP,))


@pytest.mark.parametrize(
    ("subnets", "groups", "key", "rule"),
    [
        (f'["{ONE}"]', f'["{GROUP}"]', "subnet_ids", "at least 2 items"),
        (f'["{ONE}", "{ONE}"]', f'["{GROUP}"]', "subnet_ids", f"{ONE} is there twice"),
        (f'["{ONE}", "{OTHER}"]', "[]", "security_group_ids", "at least 1 item"),
        (f'["{ONE}", "vpc-0123456789abcdef0"]', f'["{GROUP}"]', "subnet_ids.1", "the id of a subnet"),
        (f'["{ONE}", "{OTHER}"]', '["default"]', "security_group_ids.0", "the id of a security group"),
    ],
)
def test_network_that_could_not_be_attached_to_is_refused(
    tmp_path: Path, subnets: str, groups: str, key: str, rule: str
) -> None:
    """One subnet is one zone, and a name is no id."""
    sentence = refusal(tmp_path, "dev", network(subnets, groups))

    assert f"dev.toml: network.{key}: " in sentence
    assert rule in sentence


@pytest.mark.parametrize(
    ("change", "key", "rule"),
    [
        (("max_low_mass_share = 0.1", "max_low_mass_share = 1.1"), "decision.max_low_mass_share", "or equal to 1"),
        (("max_rejections = 20", "max_rejections = -1"), "decision.max_rejections", "or equal to 0"),
        (("max_rejections = 20\n", ""), "decision.max_rejections", "is required and missing"),
        (
            ("max_p95_model_latency_seconds = 40", "max_p95_model_latency_seconds = 40000"),
            "chat.max_p95_model_latency_seconds",
            "less than or equal to 60",
        ),
    ],
)
def test_threshold_that_no_metric_can_cross_is_refused(
    tmp_path: Path, change: tuple[str, str], key: str, rule: str
) -> None:
    """Shares go up to 1, and a latency above the service's own limit would never be seen."""
    sentence = refusal(tmp_path, "dev", change)

    assert f"dev.toml: monitoring.{key}: " in sentence
    assert rule in sentence
