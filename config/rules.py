"""How a broken rule is said: the key it is about, and the rule, in one sentence."""

from pydantic_core import PydanticCustomError


class ConfigurationError(ValueError):
    """The settings, or a choice made from them, cannot be deployed; the message is one sentence a line."""


def broken(key: str, rule: str) -> PydanticCustomError:
    """Return the error that a validator of a whole table raises about one of its keys.

    Args:
        key: The key inside the table, dotted when it lies deeper; empty for the table itself.
        rule: What must hold, and what was found instead.
    """
    return PydanticCustomError("broken_rule", "{rule}", {"key": key, "rule": rule})
