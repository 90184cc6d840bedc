"""The same pin is read three times, by settings, build and verification, each for itself: they must agree."""

import re

from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from config.loader import load
from config.model import ModelPin
from constructs_lib.model_package_project import package_variables
from model_pin import MODEL_MANIFEST, HubFile, PinnedFile
from pinned_model import PROPERTIES
from project_environment import read_pin

PIN = load("dev").model
LETTERS = st.text("abcXYZ019._-/", max_size=24)


@given(
    file=LETTERS.map("{}.gguf".format),
    repository=st.tuples(LETTERS, LETTERS).map("/".join) | LETTERS,
    size=st.integers(-1, 10**16),
    key=LETTERS,
    kind=st.sampled_from(["huggingface", "s3"]),
    packaging=st.sampled_from(["archive", "uncompressed"]),
    secret=LETTERS.map("arn:aws:secretsmanager:eu-central-1:111122223333:secret:{}".format) | st.none(),
)
def test_build_and_verification_accept_what_the_settings_accept(  # noqa: PLR0917 - hypothesis passes them by name
    file: str, repository: str, size: int, key: str, kind: str, packaging: str, secret: str | None
) -> None:
    """A pin that passes synthesis is never refused later for its spelling."""
    hub = {"kind": kind, "repository": repository, "revision": "0" * 40, "token_secret_arn": secret}
    source = hub if kind == "huggingface" else {"kind": kind, "uri": f"s3://models-of-ours/{key}"}
    try:
        pin = TypeAdapter(ModelPin).validate_python(
            PIN.model_dump() | {"file": file, "bytes": size, "source": source, "packaging": packaging}, strict=True
        )
    except ValidationError:
        return

    read = read_pin(package_variables(pin, "artifacts"))

    assert (read.files, read.key) == ((PinnedFile(pin.file, pin.bytes, pin.sha256),), pin.object_key)
    assert isinstance(read.source, HubFile) == (kind == "huggingface")
    assert read.side_copy_key == pin.side_copy_key
    assert read.token_secret == (secret if kind == "huggingface" else None)
    assert packaging == "archive" or {read.key, f"{read.folder}{MODEL_MANIFEST}"} == set(pin.served_keys)
    told = {
        "Key": pin.object_key,
        "Packaging": pin.packaging,
        "GgufFile": pin.file,
        "GgufBytes": str(pin.bytes),
        "GgufSha256": pin.sha256,
    }
    assert all(re.fullmatch(PROPERTIES[name], value) for name, value in told.items())
