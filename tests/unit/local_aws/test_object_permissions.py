import pytest

from local_aws.emulator.object_permissions import StoredObject, additional, default_encryption

KEY = "arn:aws:kms:r:a:key/k"


@pytest.mark.parametrize(
    ("method", "query", "actions"),
    [
        ("GET", {}, ["kms:Decrypt"]),
        ("HEAD", {}, []),
        ("PUT", {}, ["kms:GenerateDataKey"]),
        ("POST", {"uploads": [""]}, ["kms:GenerateDataKey"]),
        ("PUT", {"uploadId": ["u"], "partNumber": ["1"]}, ["kms:Decrypt"]),
        ("POST", {"uploadId": ["u"]}, ["kms:Decrypt"]),
        ("DELETE", {}, []),
        ("GET", {"tagging": [""]}, []),
    ],
)
def test_encrypted_object_needs_permission_on_its_key(
    method: str, query: dict[str, list[str]], actions: list[str]
) -> None:
    """Reading decrypts, writing takes a data key, a multipart upload does both; metadata needs neither."""
    needed = additional(method, query, StoredObject("b", exists=True, key_arn=KEY))

    assert needed == [(action, KEY) for action in actions]


def test_object_without_a_key_needs_nothing_more() -> None:
    """An object under S3's own key is covered by the permission on the object."""
    assert additional("GET", {}, StoredObject("b", exists=True, key_arn=None)) == []


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_absence_is_told_only_to_who_may_list(method: str) -> None:
    """Asking for an object that is not there needs s3:ListBucket on the bucket, else it is denied."""
    needed = additional(method, {}, StoredObject("b", exists=False, key_arn=KEY))

    assert needed == [("s3:ListBucket", "arn:aws:s3:::b")]


def test_encryption_of_a_bucket_becomes_the_body_of_its_call() -> None:
    """A template's BucketEncryption with a key is written as PutBucketEncryption takes it; without one it is not."""
    default = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": KEY}
    rules = [{"BucketKeyEnabled": True, "ServerSideEncryptionByDefault": default}]

    written = default_encryption({"BucketEncryption": {"ServerSideEncryptionConfiguration": rules}})

    assert written
    assert KEY in written.decode()
    assert default_encryption({"BucketEncryption": {"ServerSideEncryptionConfiguration": [{}]}}) is None
    assert default_encryption({}) is None
