"""The Hugging Face hub's answers about repositories: which commit a revision is, and what a file of it holds."""

import json
import re
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Final

HUB: Final = "https://huggingface.co"
_SECONDS: Final = 30
_ANSWER_BYTES: Final = 64 << 20
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost"})


class HubError(RuntimeError):
    """The hub does not have what was asked for, or does not answer."""


@dataclass(frozen=True)
class HubFile:
    """A file at one commit; its SHA-256 is empty where the hub states none."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Hub:
    """A hub at an address, which must be encrypted unless it is this machine's own."""

    url: str = HUB

    def __post_init__(self) -> None:
        """Refuse an address whose answers anybody on the way could write."""
        parts = urllib.parse.urlsplit(self.url)
        if not (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)):
            raise HubError(f"the hub's address must begin with https://, not {self.url!r}")

    def commit(self, repository: str, revision: str) -> str:
        """Return the commit that a branch, tag or commit of a repository is.

        Raises:
            HubError: There is none, or the hub does not answer.
        """
        commit = self._ask(repository, revision).get("sha")
        if not isinstance(commit, str) or not re.fullmatch(r"[0-9a-f]{40}", commit):
            raise HubError(f"{repository}@{revision}: the hub answers with no commit")
        return commit

    def file(self, repository: str, revision: str, name: str) -> HubFile:
        """Return what the hub states about a file.

        Raises:
            HubError: It is not there, or the hub does not answer.
        """
        for entry in self._ask(repository, revision, "?blobs=true").get("siblings") or []:
            if entry.get("rfilename") == name:
                stored = entry.get("lfs") or {}
                return HubFile(int(stored.get("size") or entry.get("size") or 0), str(stored.get("sha256") or ""))
        raise HubError(f"{repository}@{revision} holds no file {name}")

    def _ask(self, repository: str, revision: str, query: str = "") -> dict[str, Any]:
        named = f"{urllib.parse.quote(repository)}/revision/{urllib.parse.quote(revision, safe='')}"
        try:
            with urllib.request.urlopen(f"{self.url}/api/models/{named}{query}", timeout=_SECONDS) as response:  # noqa: S310 - checked above
                answer = json.loads(response.read(_ANSWER_BYTES))
        except urllib.error.HTTPError as error:
            with error:
                raise HubError(f"{repository}@{revision}: the hub answers {error.code}") from error
        except (OSError, HTTPException, ValueError) as error:
            raise HubError(f"{repository}@{revision}: the hub does not answer: {error}") from error
        if not isinstance(answer, dict):
            raise HubError(f"{repository}@{revision}: the hub answers with no object")
        return answer
