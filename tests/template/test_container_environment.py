import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.rules import ConfigurationError
from constructs_lib.container_environment import DLC_VARIABLES, ContainerEnvironment


@pytest.mark.parametrize(
    ("variables", "rule"),
    [
        ({"A": "x" * 1025}, "A of the container has 1025 characters; SageMaker takes at most 1024"),
        ({f"A{number}": "" for number in range(101)}, "at most 100 environment variables, not 101"),
        ({"SM_LLAMA_CPP_MODEL_SHA256": "0"}, "would become an unknown flag of llama-server"),
        ({"SM_LLAMA_CPP_HF_REPO": "a/b"}, "would become an unknown flag of llama-server"),
        ({"SM_LLAMA_CPP_MODEL": ""}, "must not be empty"),
        ({"SM_LLAMA_CPP_MODEL": "False"}, "must not be empty, false"),
        ({"SM_LLAMA_CPP_MODEL": "/a\n--api-key x"}, "of several lines"),
    ],
)
def test_variable_that_would_be_refused_or_misread_is_refused(variables: dict[str, str], rule: str) -> None:
    """The sentence names the variable and the rule."""
    with pytest.raises(ConfigurationError, match=rule):
        ContainerEnvironment(variables)


def test_values_at_the_limits_are_taken() -> None:
    """A hundred variables of 1024 characters are what SageMaker takes."""
    variables = {f"A{number}": "x" * 1024 for number in range(100)}

    assert dict(ContainerEnvironment(variables).variables) == variables


@given(st.dictionaries(st.text(max_size=8).map("SM_LLAMA_CPP_".__add__), st.text(max_size=40), min_size=1, max_size=3))
def test_deep_learning_container_never_gets_another_flag(variables: dict[str, str]) -> None:
    """Of arbitrary variables with its prefix only the listed ones, each on one line, are accepted."""
    try:
        accepted = ContainerEnvironment(variables).variables
    except ConfigurationError:
        return
    assert set(accepted) <= DLC_VARIABLES
    assert not [value for value in accepted.values() if "\n" in value or not value]


def test_environment_cannot_be_changed() -> None:
    """What was checked stays what it was."""
    environment = ContainerEnvironment({"A": "1"})

    with pytest.raises(TypeError):
        environment.variables["A"] = "2"  # type: ignore[index] # the point of the test
