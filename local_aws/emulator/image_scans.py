"""ECR's answer what a scan of an image found. Nothing is scanned here; the answer says so, or what a test put there."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import botocore.session
from botocore.validate import validate_parameters
from ministack.core.responses import error_response_json, json_response
from ministack.services import ecr

from local_aws import scan_findings

_OPERATION: Final = ".DescribeImageScanFindings"
# What ECR says of an image in which it knows no operating system, as in a stand-in with one empty layer.
UNSCANNED: Final = {"status": "UNSUPPORTED_IMAGE", "description": "The embedded AWS scans no image."}
_USUAL_PAGE: Final = 100


def register(folder: Path) -> None:
    """Answer DescribeImageScanFindings, which ministack does not know.

    Args:
        folder: The emulator's, in which tests say what a scan shall have found; else no image has a result.
    """
    known = ecr.handle_request

    async def handle_request(
        method: str, path: str, headers: Mapping[str, str], body: bytes, query_params: Mapping[str, Any]
    ) -> Any:  # noqa: ANN401 -- ministack's own answer tuple
        if headers.get("x-amz-target", "").endswith(_OPERATION):
            return _findings(folder, json.loads(body))
        return await known(method, path, headers, body, query_params)

    ecr.handle_request = handle_request


def _findings(folder: Path, request: dict[str, Any]) -> Any:  # noqa: ANN401 -- as above
    name, image_id = request.get("repositoryName", ""), request.get("imageId") or {}
    repository = ecr._repositories.get(name)  # noqa: SLF001 -- ministack has no public way
    if not repository:
        return error_response_json("RepositoryNotFoundException", f"There is no repository with name '{name}'", 400)
    image = ecr._find_image(name, image_id)  # noqa: SLF001 -- as above
    if not image:
        return error_response_json("ImageNotFoundException", f"There is no image {image_id} in '{name}'", 400)
    if not repository["imageScanningConfiguration"].get("scanOnPush"):
        return error_response_json("ScanNotFoundException", f"Image scan does not exist for {image_id}", 400)
    digest = image["imageDigest"]
    answer = {"registryId": repository["registryId"], "repositoryName": name, "imageId": {"imageDigest": digest}}
    if held := scan_findings.of(folder, digest):
        return json_response({**answer, **page(*held, request)})
    return json_response({**answer, "imageScanStatus": UNSCANNED})


def page(status: str, findings: list[dict[str, str]], request: Mapping[str, Any]) -> dict[str, Any]:
    """Return one page of a scan's findings: those asked for, and the number by severity of all.

    Raises:
        botocore.exceptions.ParamValidationError: ECR would not answer so.
    """
    answer: dict[str, Any] = {"imageScanStatus": {"status": status}}
    if status == "COMPLETE":
        first, most = int(request.get("nextToken") or 0), int(request.get("maxResults") or _USUAL_PAGE)
        counts = Counter(finding["severity"] for finding in findings)
        shown = {"findings": findings[first : first + most], "findingSeverityCounts": dict(counts)}
        answer["imageScanFindings"] = shown
        if first + most < len(findings):
            answer["nextToken"] = str(first + most)
    model: Any = botocore.session.get_session().get_service_model("ecr")
    validate_parameters(answer, model.operation_model("DescribeImageScanFindings").output_shape)
    return answer
