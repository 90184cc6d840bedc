import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.assets_bucket import check_name
from config.rules import ConfigurationError


@pytest.mark.parametrize("name", ["abc", "acme-assets", "acme.assets.2026", "a" * 63, "1-2-3-4"])
def test_name_that_s3_takes_is_accepted(name: str) -> None:
    """Small letters, digits, dots and hyphens, 3 to 63 of them."""
    check_name(name)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("", "3 to 63"),
        ("ab", "3 to 63"),
        ("a" * 64, "3 to 63"),
        ("Acme", "a-z"),
        ("acme_assets", "a-z"),
        ("acme-", "both ends"),
        ("s3://acme", "a-z"),
        ("acme\n", "a-z"),
        ("ac..me", "two dots"),
        ("10.0.0.1", "IP address"),
        ("xn--acme", "S3 keeps"),
        ("acme-s3alias", "S3 keeps"),
    ],
)
def test_name_that_s3_refuses_is_refused_with_the_rule(name: str, rule: str) -> None:
    """The sentence names the setting, the value and what it breaks."""
    with pytest.raises(ConfigurationError, match=rf"^ASSETS_BUCKET: .* is no name of a bucket: .*{rule}"):
        check_name(name)


@given(st.text(max_size=70))
def test_accepted_name_holds_nothing_that_a_shell_or_a_table_reads(name: str) -> None:
    """Whatever is accepted stands in a script, a table and an ARN as it is."""
    try:
        check_name(name)
    except ConfigurationError:
        return
    assert not set(name) - set("abcdefghijklmnopqrstuvwxyz0123456789.-")
