"""The emulator's own environment is asked, since ministack and moto are installed there only."""

import subprocess

import pytest

from local_aws.checkout import EMULATOR_PYTHON, ROOT

CHECK = "from local_aws.emulator import private_names; {before}; private_names.check()"


def _check(before: str) -> subprocess.CompletedProcess[str]:
    command = [str(EMULATOR_PYTHON), "-c", CHECK.format(before=before)]
    return subprocess.run(
        command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False, timeout=60
    )


def test_pinned_packages_have_every_private_name_the_emulator_uses() -> None:
    """The pinned ministack and moto hold every private table and function that the emulator reaches into."""
    outcome = _check("pass")

    assert (outcome.returncode, outcome.stderr) == (0, "")


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("del private_names.provisioners._RESOURCE_HANDLERS", "has no table _RESOURCE_HANDLERS"),
        ("private_names.codebuild._log_sink = None", "has no function _log_sink"),
        ("del private_names.FakeEndpointConfig.validate_production_variants", "validate_production_variants"),
        ("del private_names.provisioners._RESOURCE_HANDLERS['AWS::S3::Bucket']", "AWS::S3::Bucket any more"),
    ],
)
def test_moved_private_name_stops_the_emulator_and_is_named(before: str, said: str) -> None:
    """A private name that is not where it was ends the emulator with a sentence that names it."""
    outcome = _check(before)

    assert outcome.returncode == 1
    assert "NameMovedError" in outcome.stderr
    assert said in outcome.stderr
