"""One embedded AWS for the whole session, with the environment `local` deployed by the CDK command line."""

from collections.abc import Iterator

import pytest

from local_aws.deployment import Deployment, reason
from local_aws.questions import Answers, ask
from local_aws.session import Address, LocalAws


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run what destroys the shared deployment after everything that uses it."""
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)


@pytest.fixture(scope="session")
def address() -> Iterator[Address]:
    """An embedded AWS with nothing deployed by itself."""
    with LocalAws(name="test") as aws:
        yield aws.address


@pytest.fixture(scope="session")
def deployment(address: Address) -> Deployment:
    """The environment `local`, deployed."""
    deployed = Deployment(address)
    deployed.synthesize()
    deployed.bootstrap()
    outcome = deployed.deploy()
    assert outcome.code == 0, reason(outcome)
    return deployed


@pytest.fixture(scope="session")
def answers(deployment: Deployment) -> Answers:
    """What both endpoints answered right after the deployment."""
    return ask(deployment.address)
