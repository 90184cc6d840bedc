"""Whether an account and region are bootstrapped."""

from ops.deployment.bootstrapped import VERSION_PARAMETER, bootstrap_version


class FakeParameterStore:
    """Holds some parameters, as SSM's GetParameters shows them."""

    def __init__(self, **parameters: str) -> None:
        self.parameters = parameters

    def get_parameters(self, *, Names: list[str]) -> dict[str, list[dict[str, str]]]:  # noqa: N803 - boto3's spelling
        """Return those of the names that exist."""
        return {"Parameters": [{"Value": self.parameters[name]} for name in Names if name in self.parameters]}


def test_bootstrap_version_is_what_the_bootstrap_stack_left() -> None:
    """A bootstrapped account and region answers with its version."""
    assert bootstrap_version(FakeParameterStore(**{VERSION_PARAMETER: "30"})) == 30


def test_bootstrap_version_is_none_when_the_parameter_is_missing() -> None:
    """An account that was never bootstrapped has no version."""
    assert bootstrap_version(FakeParameterStore()) is None
