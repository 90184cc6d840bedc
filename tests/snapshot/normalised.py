"""Templates without what changes with every edit elsewhere, so that a golden shows changes of infrastructure."""

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.template.synthesis import ENVIRONMENTS, STACKS, template

NAMES = [(environment, stack) for environment in ENVIRONMENTS for stack in STACKS]
# Digests of source code: of assets, of the handlers behind a custom resource, of the decision image's content.
_ASSET = re.compile(r"\b[0-9a-f]{64}\.zip")
# The logical id of a verification, which is made of the handler's digest among others.
_VERIFICATION = re.compile(r'"(VerifiedModel|PinnedImage|ImageScanGate|CheckedEndpoint)[0-9a-f]{16}"')


def normalised(environment: str, stack: str) -> str:
    """Return a stack's template as the text of its golden file."""
    runs = template(environment, "build").of_type("Custom::BuildRun").values()
    (tag,) = [run["Properties"]["ContentName"] for run in runs if run["Properties"]["ContentKind"] == "ecr"]
    text = json.dumps(_without_versions(template(environment, stack).content), indent=1) + "\n"
    text = _VERIFICATION.sub(r'"\1<digest of what is compared>"', text)
    return _ASSET.sub("<digest of the asset>.zip", text).replace(tag, "<digest of the image's content>")


def _without_versions(value: Any) -> Any:
    match value:
        case Mapping():
            known = {"HandlerVersion": "<digest of the handler>"}
            return {key: known[key] if key in known else _without_versions(each) for key, each in value.items()}
        case list():
            return [_without_versions(each) for each in value]
    return value
