"""A Secrets Manager in memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.unit.builds.fake_store import refused


@dataclass
class FakeSecrets:
    """Secrets by ARN; an unknown one is refused."""

    texts: Mapping[str, str] = field(default_factory=dict)

    def get_secret_value(self, *, SecretId: str) -> dict[str, str]:  # noqa: N803 - Secrets Manager's own spelling
        """Return a secret's text."""
        if SecretId not in self.texts:
            raise refused("ResourceNotFoundException", "GetSecretValue")
        return {"SecretString": self.texts[SecretId]}
