"""ECR's answer where a layer can be downloaded: at ministack's own registry, not at an address of AWS."""

from typing import Any

from ministack.core.responses import error_response_json, json_response
from ministack.services import ecr


def register(url: str) -> None:
    """Let GetDownloadUrlForLayer name an address below the emulator's own, or say that there is no such layer.

    Args:
        url: The emulator's.
    """

    def address(request: dict[str, Any]) -> Any:  # noqa: ANN401 -- ministack's own answer tuple
        name, digest = request.get("repositoryName", ""), request.get("layerDigest", "")
        if digest not in (ecr._layer_blobs.get(name) or {}):  # noqa: SLF001 -- ministack has no public way
            message = f"The layer with digest '{digest}' does not exist in the repository with name '{name}'"
            return error_response_json("LayersNotFoundException", message, 400)
        return json_response({"downloadUrl": f"{url}/v2/{name}/blobs/{digest}", "layerDigest": digest})

    ecr._get_download_url_for_layer = address  # noqa: SLF001 -- as above
