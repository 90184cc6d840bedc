"""What the host's pip is told about where packages come from, for the pip inside a build.

A build on a machine whose pip needs a mirror, a local folder or a certificate of its own would fail without it. Only
settings about sources and the network are taken, and none stays in the image: they are mounted for the build.
"""

import ast
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.image.buildah import Mount

CONFIGURATION = "/etc/pip.conf"
_HOST_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
# Lowest first: a variable of the environment beats the section of the command, which beats the general section.
_SECTIONS = ("global", "install", ":env:")
_TAKEN = frozenset(
    {
        "cert",
        "client-cert",
        "default-timeout",
        "extra-index-url",
        "find-links",
        "index-url",
        "no-index",
        "proxy",
        "retries",
        "timeout",
        "trusted-host",
    }
)


def effective_settings(listing: str) -> dict[str, str]:
    """Return the settings about sources and network in the output of `pip config list`, the strongest of each."""
    found: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for line in listing.splitlines():
        name, _, value = line.partition("=")
        section, _, key = name.rpartition(".")
        if section in found and key in _TAKEN:
            found[section][key] = str(ast.literal_eval(value))
    return {key: value for section in _SECTIONS for key, value in found[section].items()}


def configuration_file(settings: Mapping[str, str]) -> str:
    """Return a pip configuration file with these settings."""
    lines = (f"{key} = {' '.join(value.split())}" for key, value in sorted(settings.items()))
    return "\n".join(("[global]", *lines, ""))


def named_paths(settings: Mapping[str, str]) -> list[Path]:
    """Return the files and folders of this machine that the settings name, as paths or file: URLs."""
    words = (word.removeprefix("file://") for value in settings.values() for word in value.split())
    # The folder of an index lies beside the files its pages point to, so its parent comes along.
    paths = {Path(word) for word in words if word.startswith("/")}
    return sorted(path.parent if path.name == "simple" else path for path in paths)


def mounts(scratch: Path) -> list[Mount]:
    """Return what a build mounts so that its pip finds what the host's pip finds.

    Args:
        scratch: An existing folder for the configuration file, which may hold a password.
    """
    listing = subprocess.run(
        (sys.executable, "-m", "pip", "config", "list"), text=True, capture_output=True, check=True
    )
    settings = effective_settings(listing.stdout)
    given = [path for path in {*named_paths(settings), _HOST_CERTIFICATES} if path.exists()]
    mounted = [Mount(path, str(path)) for path in sorted(given)]
    if settings:
        file = scratch / "pip.conf"
        file.touch(mode=0o600)
        file.write_text(configuration_file(settings), encoding="utf-8")
        mounted.append(Mount(file, CONFIGURATION))
    return mounted
