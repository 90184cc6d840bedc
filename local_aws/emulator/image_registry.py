"""The emulated registry, read and written with the credentials of whoever asks."""

import json
import re
import ssl
import urllib.request
from dataclasses import dataclass
from typing import Final

import boto3

from local_aws.stand_in_image import CONFIG_TYPE, LAYER, MANIFEST_TYPE, StandInImage, digest

_IMAGE_URI: Final = re.compile(
    r"(?P<account>\d{12})\.dkr\.ecr\.(?P<region>[a-z0-9-]+)\.(?P<suffix>amazonaws\.com(\.cn)?)/(?P<repository>[a-z0-9._/-]+)"
    r"@(?P<digest>sha256:[0-9a-f]{64})"
)


class ImageRefusedError(RuntimeError):
    """The registry does not have the image, or has it in a form that SageMaker refuses."""


@dataclass(frozen=True)
class ImageRegistry:
    """The registry's HTTP address and the certificate that proves it."""

    url: str
    certificate: str

    def push(self, session: boto3.Session, repository: str, tag: str, image: StandInImage) -> None:
        """Put an image under a tag with the session's permissions, by the calls a docker daemon's push comes to.

        Raises:
            botocore.exceptions.ClientError: the session may not, or the tag is taken and immutable.
        """
        ecr = session.client("ecr")
        ecr.get_authorization_token()
        for blob in (LAYER, image.config):
            ecr.batch_check_layer_availability(repositoryName=repository, layerDigests=[digest(blob)])
            upload = ecr.initiate_layer_upload(repositoryName=repository)["uploadId"]
            named = {"repositoryName": repository, "uploadId": upload}
            ecr.upload_layer_part(**named, partFirstByte=0, partLastByte=len(blob) - 1, layerPartBlob=blob)
            ecr.complete_layer_upload(**named, layerDigests=[digest(blob)])
            # ministack keeps no bytes of these calls. Its registry's HTTP API does, and asks nobody who they are.
            self._request("POST", f"/v2/{repository}/blobs/uploads/?digest={digest(blob)}", blob)
        ecr.put_image(
            repositoryName=repository,
            imageTag=tag,
            imageManifest=image.manifest.decode(),
            imageManifestMediaType=MANIFEST_TYPE,
        )

    def labels(self, session: boto3.Session, image_uri: str) -> dict[str, str]:
        """Return the labels of an image that is named by digest, pulled with the session's permissions.

        The calls are those that a pull by a docker daemon needs permission for.

        Raises:
            ImageRefusedError: not a private ECR address with a digest, not there, or not docker v2 schema 2.
            botocore.exceptions.ClientError: the session may not pull.
        """
        named = _IMAGE_URI.fullmatch(image_uri)
        if not named:
            raise ImageRefusedError(f"image {image_uri!r} is not a private ECR address with a sha256 digest")
        ecr = session.client("ecr")
        ecr.get_authorization_token()
        answer = ecr.batch_get_image(
            registryId=named["account"],
            repositoryName=named["repository"],
            imageIds=[{"imageDigest": named["digest"]}],
            acceptedMediaTypes=[MANIFEST_TYPE],
        )
        if not answer["images"]:
            raise ImageRefusedError(f"no image {named['digest']} in repository {named['repository']}")
        manifest = answer["images"][0]["imageManifest"].encode()
        if digest(manifest) != named["digest"]:
            raise ImageRefusedError(f"the manifest of {named['digest']} has digest {digest(manifest)}")
        config = json.loads(manifest)
        if config.get("mediaType") != MANIFEST_TYPE or config["config"]["mediaType"] != CONFIG_TYPE:
            raise ImageRefusedError(
                f"image {named['digest']} is {config.get('mediaType')}; SageMaker takes {MANIFEST_TYPE}"
            )
        of_registry = {"registryId": named["account"], "repositoryName": named["repository"]}
        wanted = config["config"]["digest"]
        ecr.batch_check_layer_availability(**of_registry, layerDigests=[wanted])
        ecr.get_download_url_for_layer(**of_registry, layerDigest=wanted)
        blob = self._request("GET", f"/v2/{named['repository']}/blobs/{wanted}")
        labels: dict[str, str] = json.loads(blob)["config"].get("Labels") or {}
        return labels

    def _request(self, method: str, path: str, body: bytes | None = None) -> bytes:
        request = urllib.request.Request(self.url + path, data=body, method=method)  # noqa: S310 -- the URL is our own
        context = ssl.create_default_context(cafile=self.certificate)
        with urllib.request.urlopen(request, context=context, timeout=30) as response:  # noqa: S310 -- as above
            content: bytes = response.read()
        return content
