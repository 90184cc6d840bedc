"""The keys that records were made with: files that the operator gives, or KMS where the record names a key's ARN."""

from pathlib import Path

import boto3

from decision_client.audit.keyed_hash import KeyRing
from decision_client.audit.kms_key import KmsKey
from decision_client.audit.replay import Verifier


def keys_for(key_id: str, files: list[Path]) -> Verifier:
    """Return what verifies hashes of a key.

    Raises:
        decision_client.errors.FileError: A key file breaks a rule.
    """
    if not key_id.startswith("arn:"):
        return KeyRing.of_files(files)
    # arn:partition:kms:region:account:key/id
    return KmsKey(key_id, boto3.client("kms", region_name=key_id.split(":")[3]))
