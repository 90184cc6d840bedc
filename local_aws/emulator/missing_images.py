"""ECR's answer to a question about images that are not there, which ministack answers with an empty list."""

from typing import Any

from ministack.core.responses import error_response_json
from ministack.services import ecr


def register() -> None:
    """Answer DescribeImages with ImageNotFoundException when one of the images asked for is not there."""
    known = ecr._describe_images  # noqa: SLF001 -- ministack has no public registration

    def describe_images(request: dict[str, Any]) -> Any:  # noqa: ANN401 -- ministack's own answer tuple
        name = request.get("repositoryName", "")
        if name in ecr._repositories:  # noqa: SLF001 -- as above
            for image in request.get("imageIds") or []:
                if not ecr._find_image(name, image):  # noqa: SLF001 -- as above
                    message = f"The image with imageId {image} does not exist within the repository with name '{name}'"
                    return error_response_json("ImageNotFoundException", message, 400)
        return known(request)

    ecr._describe_images = describe_images  # noqa: SLF001 -- as above
