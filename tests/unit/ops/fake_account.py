# ruff: noqa: N803, D102 -- the methods are those of boto3, in its spelling
"""An account in memory that holds a healthy environment, and can be broken where a test wants it."""

import datetime as dt
import hashlib
import io
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from botocore.exceptions import ClientError

from config.content import image_tag
from config.loader import load
from local_aws.stand_in_image import dlc_image
from ops.services import Services

SETTINGS = load("local")
ACCOUNT, REGION = "000000000000", "us-east-1"
BUCKET, REPOSITORY, KEY = "the-bucket", "the-repository", "arn:aws:kms:us-east-1:000000000000:key/k"
DOCKER_IMAGE = "application/vnd.docker.distribution.manifest.v2+json"
KEY_OF_MODEL = SETTINGS.model.object_key
TAG = image_tag(SETTINGS.images.decision_base.digest)


def error(code: str, message: str = "said so", operation: str = "Operation") -> ClientError:
    """Return an error of AWS."""
    return ClientError({"Error": {"Code": code, "Message": message}}, operation)


def manifest(name: str, media_type: str = DOCKER_IMAGE, **body: Any) -> tuple[str, str]:
    """Return a manifest's text and its digest."""
    text = json.dumps({"schemaVersion": 2, "mediaType": media_type, "name": name, **body})
    return text, f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


DECISION_TEXT, DECISION_DIGEST = manifest("decision")


class FakeAccount:
    """Every client at once. `refused` maps an operation to the error it raises."""

    def __init__(self) -> None:
        pin = SETTINGS.images.chat
        self.refused: dict[str, Exception] = {}
        self.calls: list[str] = []
        self.meta = SimpleNamespace(region_name=REGION, endpoint_url="https://runtime.invalid")
        self.caller = {"Account": ACCOUNT, "Arn": f"arn:aws:iam::{ACCOUNT}:user/operator"}
        self.allowed: dict[str, float] = {"ml.c6i.large": 10}
        self.key_state = "Enabled"
        self.objects: dict[tuple[str, str], bytes] = {(BUCKET, KEY_OF_MODEL): b"archive"}
        registry = f"{ACCOUNT}.dkr.ecr.{REGION}.amazonaws.com"
        self.images: dict[str, dict[str, Any]] = {
            pin.digest: {"text": None, "tags": [], "repository": pin.repository},
            DECISION_DIGEST: {"text": DECISION_TEXT, "tags": [TAG], "repository": REPOSITORY},
        }
        self.image = {"chat": f"{registry}/{pin.repository}@{pin.digest}"}
        self.image["decision"] = f"{registry}/{REPOSITORY}@{DECISION_DIGEST}"
        self.model_url = dict.fromkeys(("chat", "decision"), f"s3://{BUCKET}/{KEY_OF_MODEL}")
        self.endpoints = {"semif-local-chat": "InService", "semif-local-decision": "InService"}
        self.configs, self.models = dict.fromkeys(("chat", "decision")), dict.fromkeys(("chat", "decision"))
        self.says = {"image_digest": DECISION_DIGEST, "gguf": {"sha256": SETTINGS.model.sha256}}
        self.stacks: dict[str, dict[str, Any]] = {name: {} for name in ("build", "monitoring", "chat", "decision")}
        self.stacks["artifact"] = {"BucketName": BUCKET, "RepositoryName": REPOSITORY, "KeyArn": KEY}
        for kind in ("chat", "decision"):
            self.stacks[kind] = {"ImageUri": self.image[kind], "GgufSha256": SETTINGS.model.sha256}
            self.stacks[kind]["ArchiveSha256"] = "e" * 64
        self.status = dict.fromkeys(self.stacks, "CREATE_COMPLETE")
        self.events: list[dict[str, str]] = []
        self.secret_texts: dict[str, str] = {}
        self.builds: list[dict[str, Any]] = [{"id": "project:1", "buildStatus": "SUCCEEDED"}]

    def services(self) -> Services:
        """Return every client."""
        return Services.of(lambda _: self)

    def _called(self, operation: str) -> None:
        self.calls.append(operation)
        if operation in self.refused:
            raise self.refused[operation]

    def get_secret_value(self, *, SecretId: str) -> Any:
        self._called("get_secret_value")
        if SecretId not in self.secret_texts:
            raise error("ResourceNotFoundException")
        return {"SecretString": self.secret_texts[SecretId]}

    def get_caller_identity(self) -> Any:
        self._called("get_caller_identity")
        return self.caller

    def describe_stacks(self, *, StackName: str) -> Any:
        self._called("describe_stacks")
        name = StackName.rpartition("-")[2]
        if name not in self.stacks:
            raise error("ValidationError", f"Stack with id {StackName} does not exist")
        outputs = [{"OutputKey": key, "OutputValue": value} for key, value in self.stacks[name].items()]
        return {"Stacks": [{"StackName": StackName, "StackStatus": self.status[name], "Outputs": outputs}]}

    def get_paginator(self, operation: str) -> Any:
        self._called(operation)
        return SimpleNamespace(paginate=lambda **asked: self._pages(operation, **asked))

    def _pages(self, operation: str, *, StackName: str = "", ServiceCode: str = "") -> Iterator[Any]:
        if operation == "describe_stack_events":
            yield {"StackEvents": [event | {"StackId": StackName} for event in self.events]}
        elif operation == "list_stack_resources":
            kind = StackName.rpartition("-")[2]
            ids = [("AWS::CodeBuild::Project", "project")] if kind == "build" else []
            ids += [("AWS::SageMaker::EndpointConfig", f"arn:x/{kind}"), ("AWS::SageMaker::Model", f"arn:x/{kind}")]
            yield {"StackResourceSummaries": [{"ResourceType": t, "PhysicalResourceId": i} for t, i in ids]}
        else:
            assert ServiceCode == "sagemaker"
            usages = {f"{name} for endpoint usage": count for name, count in self.allowed.items()}
            usages["ml.c6i.large for training job usage"] = 0
            yield {"Quotas": [{"QuotaName": name, "Value": count} for name, count in usages.items()]}

    def describe_key(self, *, KeyId: str) -> Any:
        self._called("describe_key")
        return {"KeyMetadata": {"KeyState": self.key_state, "Arn": KeyId}}

    def head_bucket(self, *, Bucket: str) -> None:
        self._called("head_bucket")
        assert Bucket == BUCKET

    def list_objects_v2(self, *, Bucket: str, Prefix: str, MaxKeys: int) -> Any:
        self._called("list_objects_v2")
        found = [key for bucket, key in self.objects if bucket == Bucket and key.startswith(Prefix)]
        return {"KeyCount": len(found[:MaxKeys])}

    def head_object(self, *, Bucket: str, Key: str, ChecksumMode: str) -> Any:
        self._called("head_object")
        assert ChecksumMode == "ENABLED"
        return {"ContentLength": len(self.objects[Bucket, Key])}

    def get_object(self, *, Bucket: str, Key: str) -> Any:
        self._called("get_object")
        if (Bucket, Key) not in self.objects:
            raise error("NoSuchKey")
        return {"Body": io.BytesIO(self.objects[Bucket, Key])}

    def batch_get_image(self, *, imageIds: list[Any], repositoryName: str, **_: object) -> Any:
        self._called("batch_get_image")
        (wanted,) = imageIds
        for digest, image in self.images.items():
            named = wanted.get("imageDigest") == digest or wanted.get("imageTag") in image["tags"]
            if named and image["repository"] == repositoryName:
                text = stand_in_text(digest) if image["text"] is None else image["text"]
                return {"images": [{"imageId": {"imageDigest": digest}, "imageManifest": text}]}
        return {"images": [], "failures": []}

    def describe_images(self, *, imageIds: list[Any], repositoryName: str) -> Any:
        self._called("describe_images")
        (wanted,) = imageIds
        for digest, image in self.images.items():
            named = wanted.get("imageDigest") == digest or wanted.get("imageTag") in image["tags"]
            if named and image["repository"] == repositoryName:
                return {"imageDetails": [{"imageDigest": digest, "imageTags": image["tags"]}]}
        raise error("ImageNotFoundException")

    def list_builds_for_project(self, *, projectName: str, sortOrder: str) -> Any:
        assert (projectName, sortOrder) == ("project", "DESCENDING")
        return {"ids": [build["id"] for build in self.builds]}

    def batch_get_builds(self, *, ids: list[str]) -> Any:
        return {"builds": [build for build in self.builds if build["id"] in ids]}

    def describe_endpoint(self, *, EndpointName: str) -> Any:
        self._called("describe_endpoint")
        if EndpointName not in self.endpoints:
            raise error("ValidationException", f"Could not find endpoint {EndpointName}")
        status, kind = self.endpoints[EndpointName], EndpointName.rpartition("-")[2]
        since = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)
        return {"EndpointStatus": status, "EndpointConfigName": kind, "LastModifiedTime": since, "FailureReason": "why"}

    def describe_endpoint_config(self, *, EndpointConfigName: str) -> Any:
        variant = {"ModelName": EndpointConfigName, "InstanceType": "ml.c6i.large", "InitialInstanceCount": 1}
        return {"EndpointConfigName": EndpointConfigName, "ProductionVariants": [variant]}

    def describe_model(self, *, ModelName: str) -> Any:
        container = {"Image": self.image[ModelName], "ModelDataUrl": self.model_url[ModelName]}
        return {"ModelName": ModelName, "PrimaryContainer": container}

    def invoke_endpoint(self, **_: object) -> Any:
        self._called("invoke_endpoint")
        return {"Body": io.BytesIO(json.dumps({"result": {"model": self.says}}).encode())}

    def delete_endpoint(self, *, EndpointName: str) -> None:
        self._called("delete_endpoint")
        if EndpointName not in self.endpoints:
            raise error("ValidationException", f"Could not find endpoint {EndpointName}")
        self.endpoints[EndpointName] = "Deleting"

    def delete_endpoint_config(self, *, EndpointConfigName: str) -> None:
        self._called("delete_endpoint_config")
        if EndpointConfigName not in self.configs:
            raise error("ValidationException", f"Could not find endpoint configuration {EndpointConfigName}")
        del self.configs[EndpointConfigName]

    def delete_model(self, *, ModelName: str) -> None:
        self._called("delete_model")
        if ModelName not in self.models:
            raise error("ValidationException", f"Could not find model {ModelName}")
        del self.models[ModelName]


def stand_in_text(digest: str) -> str:
    """Return the text of the stand-in image that the environment pins, whose digest it must have."""
    image = dlc_image()
    assert image.digest == digest
    return image.manifest.decode()
