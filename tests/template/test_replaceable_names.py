from pathlib import Path

import pytest

from tests.template.synthesis import Template, read, synthesize
from tests.unit.config.environment_files import changed

ONE, OTHER = "sha256:" + "1" * 64, "sha256:" + "2" * 64


def _synthesized(folder: Path, stack: str, instance_type: str, digest: str) -> Template:
    published = "sha256:1f19c220f5f169228f20cdddca00f4838be22a3a1ce9002bc444006adc3d6d43"
    types = {"chat": "ml.c6i.2xlarge", "decision": "ml.c6i.8xlarge"}
    folder.mkdir()
    changed(folder, "dev", (published, digest), (types[stack], instance_type), ("threads = 32", "threads = 2"))
    return read(synthesize("dev", folder / "out", folder), "dev", stack)


@pytest.mark.rule(
    "A changed instance type or image replaces model and configuration, never the endpoint", tool="CDK", emulated=""
)
@pytest.mark.parametrize("stack", ["chat", "decision"])
def test_changes_replace_model_and_configuration_but_not_the_endpoint(tmp_path: Path, stack: str) -> None:
    """Across a change of type and one of image, nothing replaceable is named and the endpoint stays the same."""
    templates = [
        _synthesized(tmp_path / "before", stack, "ml.c6i.xlarge", ONE),
        _synthesized(tmp_path / "type", stack, "ml.c6i.2xlarge", ONE),
        _synthesized(tmp_path / "image", stack, "ml.c6i.2xlarge", OTHER),
    ]

    for template in templates:
        assert "ModelName" not in template.only("AWS::SageMaker::Model")[1]
        config, properties = template.only("AWS::SageMaker::EndpointConfig")
        assert "EndpointConfigName" not in properties
        _, endpoint = template.only("AWS::SageMaker::Endpoint")
        assert endpoint["EndpointConfigName"] == {"Fn::GetAtt": [config, "EndpointConfigName"]}
    assert len({str(template.only("AWS::SageMaker::Endpoint")) for template in templates}) == 1
    assert len({str(template.only("AWS::SageMaker::EndpointConfig")) for template in templates}) == 2
    assert len({str(template.only("Custom::PinnedImage")[1]["Reference"]) for template in templates}) == 2
