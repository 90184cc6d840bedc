"""What a deployment starts and what it costs is said before it starts, and the documents agree with the files."""

import json
import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from config.loader import load
from config.scaling import Scaling
from ops.__main__ import app
from ops.costs.billed import fleets
from tests.unit.config.environment_files import completed

ROOT = Path(__file__).resolve().parents[3]
COSTS = (ROOT / "docs" / "operations.md").read_text("utf-8").partition("### What an environment costs\n")[2]
PRICES = {
    name: Decimal(price) for name, price in re.findall(r"^\| (ml\.\S+) \| [\d.]+ \| ([\d.]+) \|", COSTS, re.MULTILINE)
}
README = (ROOT / "README.md").read_text("utf-8")


def _said(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["billed", *arguments])
    assert result.exit_code == 0
    return result.stdout


def test_instances_of_both_endpoints_are_named_with_the_end_of_the_bill() -> None:
    """Whoever deploys reads types, counts, that hours are billed, what ends it, and where prices are."""
    said = _said("dev")

    assert "semif-dev-chat: 1 instance of ml.c6i.2xlarge\n" in said
    assert "semif-dev-decision: 1 instance of ml.c6i.8xlarge\n" in said
    assert "billed by the hour" in said
    assert "`make destroy ENV=dev` or `python -m ops retire dev`" in said
    assert "docs/operations.md, What an environment costs" in said


def test_pool_is_said_in_the_order_its_types_are_tried() -> None:
    """One instance of a pool runs, of one of its types."""
    pool = "ml.g6e.xlarge, ml.g6.2xlarge, ml.g5.2xlarge, ml.g4dn.2xlarge"

    assert f"semif-prod-decision: 1 instance, of whichever can be had first of {pool}\n" in _said("prod")


def test_scaled_fleet_is_said_with_the_most_it_comes_to() -> None:
    """Scaling adds instances that are billed too."""
    settings = load("dev")
    scaling = Scaling(
        metric="invocations_per_instance",
        target_value=10,
        min_instance_count=1,
        max_instance_count=7,
        scale_in_cooldown_seconds=1,
        scale_out_cooldown_seconds=1,
    )
    chat = settings.chat.model_copy(update={"scaling": scaling, "initial_instance_count": 2})

    fleet = fleets(settings.model_copy(update={"chat": chat}))[0]

    assert (fleet.count, fleet.most) == (2, 7)
    assert ": 2 instances, up to 7 under load of ml." in fleet.sentence


def test_fleets_with_json_are_for_programs() -> None:
    """Standard output is one document with a fleet for each endpoint."""
    told = json.loads(_said("prod", "--json"))

    assert [fleet["endpoint"] for fleet in told] == ["semif-prod-chat", "semif-prod-decision"]
    assert told[1]["instance_types"][0] == "ml.g6e.xlarge"
    assert (told[1]["count"], told[1]["most"]) == (1, 1)


def test_make_deploy_says_what_is_billed_before_anything_else() -> None:
    """No account is asked, and nothing is made, before the sentence stands there."""
    recipe = (ROOT / "Makefile").read_text("utf-8").partition("\ndeploy:")[2].partition("\ndoctor ")[0].splitlines()

    assert recipe[1] == "\t@python -m ops billed $(ENV)"
    assert recipe[-1].startswith("\tcdk deploy ")


@pytest.mark.parametrize("environment", ["dev", "prod", "graviton"])
def test_documents_state_the_hourly_cost_of_what_the_files_start(environment: str, tmp_path: Path) -> None:
    """Each type has a price in the runbook, and the sums that the README and the runbook state are the prices' sums."""
    chat, decision = fleets(load(environment, completed(tmp_path)))
    told = README.partition("billed by the hour")[2].partition("#what-an-environment-costs")[0]
    (first,) = (chat.count * PRICES[name] for name in chat.instance_types)
    other = [decision.count * PRICES[name] for name in decision.instance_types]

    for second in (other[0], other[-1]):
        together = (first + second).quantize(Decimal("0.01"), ROUND_HALF_UP)
        row = f"| {first} | {second} | {together}"
        assert row in COSTS
        assert COSTS.partition(row)[2].splitlines()[0].endswith(f"| {round((first + second) * 720)} |")
        assert f"{together}" in told
