"""ECR's answer what a scan of an image found. Nothing is scanned here, and the answer says so."""

import json
from collections.abc import Mapping
from typing import Any, Final

from ministack.core.responses import error_response_json, json_response
from ministack.services import ecr

_OPERATION: Final = ".DescribeImageScanFindings"
# What ECR says of an image in which it knows no operating system, as in a stand-in with one empty layer.
UNSCANNED: Final = {"status": "UNSUPPORTED_IMAGE", "description": "The embedded AWS scans no image."}


def register() -> None:
    """Answer DescribeImageScanFindings, which ministack does not know: no image has a result."""
    known = ecr.handle_request

    async def handle_request(
        method: str, path: str, headers: Mapping[str, str], body: bytes, query_params: Mapping[str, Any]
    ) -> Any:  # noqa: ANN401 -- ministack's own answer tuple
        if headers.get("x-amz-target", "").endswith(_OPERATION):
            return _findings(json.loads(body))
        return await known(method, path, headers, body, query_params)

    ecr.handle_request = handle_request


def _findings(request: dict[str, Any]) -> Any:  # noqa: ANN401 -- as above
    name, image_id = request.get("repositoryName", ""), request.get("imageId") or {}
    repository = ecr._repositories.get(name)  # noqa: SLF001 -- ministack has no public way
    if not repository:
        return error_response_json("RepositoryNotFoundException", f"There is no repository with name '{name}'", 400)
    image = ecr._find_image(name, image_id)  # noqa: SLF001 -- as above
    if not image:
        return error_response_json("ImageNotFoundException", f"There is no image {image_id} in '{name}'", 400)
    if not repository["imageScanningConfiguration"].get("scanOnPush"):
        return error_response_json("ScanNotFoundException", f"Image scan does not exist for {image_id}", 400)
    return json_response(
        {
            "registryId": repository["registryId"],
            "repositoryName": name,
            "imageId": {"imageDigest": image["imageDigest"]},
            "imageScanStatus": UNSCANNED,
        }
    )
