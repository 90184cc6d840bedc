"""Keys and the hashes made with them."""

import hashlib
import hmac
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision_client.audit.hashed_request import RequestHasher, part_digests, recorded
from decision_client.audit.keyed_hash import KeyRing, KeyUseError, LocalKey, Mac, read_key
from decision_client.audit.replay import differing_parts
from decision_client.definition import Option
from decision_client.errors import FileError
from tests.unit.decision_client.audit.records import KEY, STATE
from tests.unit.decision_client.samples import DEFINITION

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_hash_is_hmac_sha256_of_the_parts_digest() -> None:
    """Whoever has the key can compute it with any library, as docs/audit.md says."""
    hashes = RequestHasher(KEY).hashes("late", "Why?", DEFINITION.options)
    digest = hashlib.sha256(b'decision-audit-1 state "late"').digest()

    assert hashes.state == hmac.new(KEY.key, digest, "sha256").hexdigest()
    assert hashes.key_id == "2026-11"


@given(state=json_values, other=json_values)
def test_equal_hashes_mean_equal_texts(state: Any, other: Any) -> None:
    """A state verifies against its own hash, and another against none: `1`, `1.0` and `true` are three."""
    hashes = RequestHasher(KEY).hashes(state, "Q?", DEFINITION.options)

    assert differing_parts(hashes, state, "Q?", DEFINITION.options, KEY) == []
    same = repr(state) == repr(other)
    assert differing_parts(hashes, other, "Q?", DEFINITION.options, KEY) == ([] if same else ["state"])


def test_order_of_keys_is_part_of_a_state() -> None:
    """The model reads it too."""
    assert part_digests({"a": 1, "b": 2}, "", ())["state"] != part_digests({"b": 2, "a": 1}, "", ())["state"]


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"state": "other"}, ["state"]),
        ({"question": "Which queue handles this?"}, ["question"]),
        ({"options": DEFINITION.options[::-1]}, ["options"]),
        ({"options": (*DEFINITION.options[:2], Option(id="none", description="None."))}, ["options"]),
        ({"options": (*DEFINITION.options[:2], Option(id="other", description="None of these."))}, ["options"]),
        ({"state": "other", "question": "Q?"}, ["state", "question"]),
    ],
)
def test_changed_part_of_a_request_is_named(change: dict[str, Any], parts: list[str]) -> None:
    """State, question, and options with their order each have a hash of their own."""
    asked: dict[str, Any] = {"state": STATE, "question": DEFINITION.question, "options": DEFINITION.options}
    hashes = RequestHasher(KEY).hashes(**asked)

    assert differing_parts(hashes, **{**asked, **change}, keys=KEY) == parts


def test_equal_texts_in_different_parts_have_different_hashes() -> None:
    """A question is not recognised as somebody's state."""
    hashes = RequestHasher(KEY).hashes("same", "same", DEFINITION.options)

    assert hashes.state != hashes.question


def test_half_of_a_surrogate_pair_has_a_hash() -> None:
    """The endpoint refuses it, and the record of that says what was refused."""
    assert RequestHasher(KEY).hashes("\ud800", "Q?", DEFINITION.options).state


class _MovedAlias:
    """A key whose alias is moved to another key after a number of hashes."""

    def __init__(self, after: int) -> None:
        self._left = after

    def mac(self, digest: bytes) -> Mac:
        self._left -= 1
        return LocalKey("old" if self._left >= 0 else "new", KEY.key).mac(digest)

    def verifies(self, digest: bytes, mac: Mac) -> bool:
        raise NotImplementedError


@pytest.mark.parametrize("after", [0, 1, 2, 3, 4])
def test_hashes_of_one_request_are_by_one_key(after: int) -> None:
    """Where an alias moves while a request is hashed, all its parts are hashed again."""
    hasher = RequestHasher(_MovedAlias(after))
    hasher.hashes("first", "Q?", DEFINITION.options)
    hashes = hasher.hashes("second", "Q?", DEFINITION.options)

    new = LocalKey(hashes.key_id, KEY.key)
    assert differing_parts(hashes, "second", "Q?", DEFINITION.options, new) == []


@pytest.mark.parametrize("after", [0, 1, 2, 3, 4])
def test_hashed_id_is_by_the_key_of_its_request(after: int) -> None:
    """A record names one key, for all that is hashed in it."""
    hashes, hashed = RequestHasher(_MovedAlias(after)).hashes_with_id("case-1", "s", "Q?", DEFINITION.options)

    key = LocalKey(hashes.key_id, KEY.key)
    assert hashed == RequestHasher(key).caller_id("case-1")
    assert differing_parts(hashes, "s", "Q?", DEFINITION.options, key) == []


def _key_file(folder: Path, text: str, mode: int = 0o600) -> Path:
    file = folder / "audit-key.toml"
    file.write_text(text)
    file.chmod(mode)
    return file


def test_key_file_is_read(tmp_path: Path) -> None:
    """It names the key and holds it in hex; what is printed of it is the name."""
    key = read_key(_key_file(tmp_path, f'id = "2026-11"\nkey = "{KEY.key.hex()}"'))

    assert key == KEY
    assert repr(key) == "LocalKey('2026-11')"


@pytest.mark.parametrize(
    ("text", "mode", "rule"),
    [
        (f'id = "k"\nkey = "{"a1" * 32}"', 0o640, "chmod 600"),
        (f'id = "k"\nkey = "{"a1" * 31}"', 0o600, "key: "),
        (f'id = "k"\nkey = "{"a1" * 32}a"', 0o600, "key: "),
        (f'id = "k"\nkey = "{"z9" * 32}"', 0o600, "key: "),
        (f'key = "{"a1" * 32}"', 0o600, "id: "),
        ('id = "k"', 0o600, "key: "),
        ('id = "k"\nkey = "a1a1', 0o600, "cannot be read"),
    ],
)
def test_key_file_that_breaks_a_rule_is_refused(tmp_path: Path, text: str, mode: int, rule: str) -> None:
    """The rule is named; nothing of the key is."""
    with pytest.raises(FileError, match=rule) as caught:
        read_key(_key_file(tmp_path, text, mode))
    assert "a1a1" not in str(caught.value)
    assert "z9z9" not in str(caught.value)


def test_missing_key_file_is_refused(tmp_path: Path) -> None:
    """It is named."""
    with pytest.raises(FileError, match="none"):
        read_key(tmp_path / "none")


def test_ring_uses_the_key_that_made_a_hash() -> None:
    """Records from before and after a rotation are both checked; a key that is not there is named."""
    old, new = LocalKey("2026-10", b"o" * 32), LocalKey("2026-11", b"n" * 32)
    ring = KeyRing({key.id: key for key in (old, new)})
    for key in (old, new):
        hashes = RequestHasher(key).hashes("s", "Q?", DEFINITION.options)
        assert ring.verifies(part_digests("s", "Q?", ())["state"], recorded(hashes, "state"))
    with pytest.raises(KeyUseError, match="made with the key 2026-09, given is 2026-10, 2026-11"):
        ring.verifies(b"", Mac(key_id="2026-09", value="0" * 64))


def test_two_key_files_with_one_id_are_refused(tmp_path: Path) -> None:
    """Which of them made a hash could not be told."""
    file = _key_file(tmp_path, f'id = "k"\nkey = "{"a1" * 32}"')
    with pytest.raises(FileError, match="has the key k too"):
        KeyRing.of_files([file, file])
