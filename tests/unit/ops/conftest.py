"""What tests of several commands begin with."""

from pathlib import Path

import pytest

from ops.audit import replay_command
from ops.evidence.bench_target import Target
from tests.unit.ops.recorded_decision import URL, Endpoint, lay


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Endpoint:
    """Return whom every replay asks."""
    fake = Endpoint()

    def there(target: str, _directory: Path) -> Target:
        assert target == URL
        return Target(target, fake)

    monkeypatch.setattr(replay_command, "target_of", there)
    return fake


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a trail of one record, its request, and its key."""
    return lay(tmp_path)
