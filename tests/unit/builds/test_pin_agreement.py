"""The same pin is read three times, by settings, build and verification, each for itself: they must agree."""

import re

from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from config.loader import load
from config.model import ModelPin
from constructs_lib.model_package_project import package_variables
from model_pin import MODEL_MANIFEST, HubFile, PinnedFile
from pinned_model import PROPERTIES, pin_of
from project_environment import read_pin
from semif.split_set import parts_behind, sizes_and_digests

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


@given(
    stem=LETTERS.map("a{}".format),
    sizes=st.lists(st.integers(1, 10**9), min_size=1, max_size=13),
    kind=st.sampled_from(["huggingface", "s3"]),
    folder=LETTERS | st.none(),
)
def test_build_verification_and_container_name_the_same_files_of_a_set(
    stem: str, sizes: list[int], kind: str, folder: str | None
) -> None:
    """Each derives the parts' names for itself from the first one's."""
    files = [
        {"file": f"{stem}-{number:05}-of-{len(sizes):05}.gguf", "bytes": size, "sha256": f"{number:064x}"}
        for number, size in enumerate(sizes, 1)
    ]
    hub = {"kind": kind, "repository": "a/b", "revision": "0" * 40, "folder": folder}
    source = hub if kind == "huggingface" else {"kind": kind, "uri": f"s3://models-of-ours/{folder}/{files[0]['file']}"}
    try:
        pin = TypeAdapter(ModelPin).validate_python(
            PIN.model_dump() | files[0] | {"parts": files[1:], "source": source, "packaging": "uncompressed"}
        )
    except ValidationError:
        return

    read = read_pin(package_variables(pin, "artifacts"))
    told = {"GgufFile": pin.file, "GgufBytes": str(pin.bytes), "GgufSha256": pin.sha256, "ManifestSha256": "0" * 64}
    verified = pin_of(told | {"FurtherParts": pin.further_parts})
    served = parts_behind(pin.file, sizes_and_digests("P", pin.further_parts) if pin.parts else ())

    assert PROPERTIES["FurtherParts"].fullmatch(pin.further_parts)
    assert [(file.name, file.size, file.sha256) for file in read.files] == [tuple(file.values()) for file in files]
    assert [(file.name, file.bytes, file.sha256) for file in verified.files] == [tuple(file.values()) for file in files]
    assert [(file.file, file.bytes, file.sha256) for file in served] == [tuple(file.values()) for file in files[1:]]
    assert {read.key, *(f"{read.folder}{name}" for name in (MODEL_MANIFEST, *(file.name for file in read.files)))} == {
        *pin.served_keys
    }
