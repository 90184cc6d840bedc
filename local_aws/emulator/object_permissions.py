"""What S3 asks for besides the permission on the object: the key that encrypts it, and sight of its bucket."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from xml.etree import ElementTree as ET

Permission = tuple[str, str]

_NAMESPACE: Final = "http://s3.amazonaws.com/doc/2006-03-01/"


@dataclass(frozen=True)
class StoredObject:
    """The object a request names: whether it is there, and the key it is or would be encrypted with."""

    bucket: str
    exists: bool
    key_arn: str | None


def additional(method: str, query: Mapping[str, Any], stored: StoredObject) -> list[Permission]:
    """Return the permissions that a request for an object needs on top of the one on the object.

    Reading decrypts with the object's key, writing takes a data key, and the later calls of a multipart upload do
    both: https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuAndPermissions.html. Whoever may not list the bucket
    is not told that an object is not there.
    """
    if query.keys() & {"tagging", "acl", "attributes", "retention", "legal-hold"}:
        return []
    if method in {"GET", "HEAD"} and not stored.exists:
        return [("s3:ListBucket", f"arn:aws:s3:::{stored.bucket}")]
    if not stored.key_arn:
        return []
    if method in {"PUT", "POST"} and "uploadId" not in query:
        return [("kms:GenerateDataKey", stored.key_arn)]
    return [("kms:Decrypt", stored.key_arn)] if method in {"GET", "PUT", "POST"} else []


def default_encryption(properties: Mapping[str, Any]) -> bytes | None:
    """Return a bucket's BucketEncryption as the body that PutBucketEncryption takes, if it names a key."""
    for rule in properties.get("BucketEncryption", {}).get("ServerSideEncryptionConfiguration", []):
        default = rule.get("ServerSideEncryptionByDefault", {})
        if key := default.get("KMSMasterKeyID"):
            root = ET.Element("ServerSideEncryptionConfiguration", xmlns=_NAMESPACE)
            element = ET.SubElement(root, "Rule")
            applied = ET.SubElement(element, "ApplyServerSideEncryptionByDefault")
            ET.SubElement(applied, "SSEAlgorithm").text = default["SSEAlgorithm"]
            ET.SubElement(applied, "KMSMasterKeyID").text = key
            ET.SubElement(element, "BucketKeyEnabled").text = str(rule.get("BucketKeyEnabled", False)).lower()
            return ET.tostring(root)
    return None
