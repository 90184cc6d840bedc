import pytest

from ops.endpoints.deployed import Deployed, deployed
from tests.unit.ops.fake_account import SETTINGS, FakeAccount

KEY = "s3://bucket/models/a/b/model/model.gguf"


def _running(model_url: str) -> Deployed:
    return Deployed("name", "InService", "", "config", "model", "registry/repository@sha256:d", model_url)


@pytest.mark.parametrize(
    ("model_url", "same"),
    [
        (KEY, True),
        ("s3://bucket/models/a/b/model/", True),
        ("s3://bucket/models/a/c/model/", False),
        ("s3://bucket/models/a/b/model/other.gguf", False),
        ("s3://bucket/models/a/b/", False),
        ("", False),
    ],
)
def test_model_data_is_a_key_or_the_folder_it_lies_in(model_url: str, *, same: bool) -> None:
    """An archive is named by its key, files served as they are by their folder."""
    assert _running(model_url).runs_key(KEY) is same


def test_endpoint_is_followed_to_image_and_model() -> None:
    """Each link names the next one."""
    account = FakeAccount()

    found = deployed(account.services().sagemaker, SETTINGS.chat.endpoint_name)

    assert (found.config_name, found.model_name) == ("chat", "chat")
    assert found.image_digest == SETTINGS.images.chat.digest
