"""A key in KMS: hashes are made and checked there, and the key never leaves it."""

from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from decision_client.audit.keyed_hash import KeyUseError, Mac

if TYPE_CHECKING:
    from types_boto3_kms import KMSClient

_ALGORITHM: Final = "HMAC_SHA_256"


class KmsKey:
    """An HMAC key (key spec `HMAC_256`), by id, ARN or alias; the records name its ARN, also where an alias moves."""

    def __init__(self, key: str, client: "KMSClient") -> None:
        """Needs `kms:GenerateMac` to write records, `kms:VerifyMac` to check them."""
        self._key, self._client = key, client

    def mac(self, digest: bytes) -> Mac:
        """Return the keyed hash of a digest."""
        try:
            made = self._client.generate_mac(KeyId=self._key, MacAlgorithm=_ALGORITHM, Message=digest)
        except (BotoCoreError, ClientError) as error:
            raise KeyUseError(f"{self._key}: GenerateMac: {_said(error)}") from None
        return Mac(key_id=made["KeyId"], value=made["Mac"].hex())

    def verifies(self, digest: bytes, mac: Mac) -> bool:
        """Tell whether a keyed hash is that of a digest; the key is the one that made it."""
        try:
            self._client.verify_mac(
                KeyId=mac.key_id, MacAlgorithm=_ALGORITHM, Message=digest, Mac=bytes.fromhex(mac.value)
            )
        except self._client.exceptions.KMSInvalidMacException:
            return False
        except (BotoCoreError, ClientError) as error:
            raise KeyUseError(f"{mac.key_id}: VerifyMac: {_said(error)}") from None
        return True


def _said(error: BotoCoreError | ClientError) -> str:
    return error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
