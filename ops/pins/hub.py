"""The Hugging Face hub's answers about repositories: which commit a revision is, and what a file of it holds."""

import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPMessage
from typing import IO, Any, Final

HUB: Final = "https://huggingface.co"
_SECONDS: Final = 30
_ANSWER_BYTES: Final = 64 << 20
_AUTHORIZATION: Final = "Authorization"
_HIDES: Final = frozenset({401, 403, 404})
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
    """A hub at an address, which must be encrypted unless it is this machine's own.

    Attributes:
        url: The address.
        token: Asked for a token before each question; an empty one is not sent.
    """

    url: str = HUB
    token: Callable[[], str] = field(default=lambda: "", repr=False)

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
        request = urllib.request.Request(f"{self.url}/api/models/{named}{query}")  # noqa: S310 - checked above
        if token := self.token():
            request.add_unredirected_header(_AUTHORIZATION, f"Bearer {token}")
        try:
            with urllib.request.build_opener(_SameHub).open(request, timeout=_SECONDS) as response:
                answer = json.loads(response.read(_ANSWER_BYTES))
        except urllib.error.HTTPError as error:
            with error:
                why = _hidden(error.code, has_token=bool(token))
                raise HubError(f"{repository}@{revision}: the hub answers {error.code}{why}") from None
        except (OSError, HTTPException, ValueError) as error:
            raise HubError(f"{repository}@{revision}: the hub does not answer: {error}") from None
        if not isinstance(answer, dict):
            raise HubError(f"{repository}@{revision}: the hub answers with no object")
        return answer


class _SameHub(urllib.request.HTTPRedirectHandler):
    """Follows a renamed repository on the hub itself with the token, and anything else without."""

    def redirect_request(  # noqa: PLR0917 - the standard library's signature
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        """Return the next request, or refuse to leave an encrypted connection."""
        if req.type == "https" and urllib.parse.urlsplit(newurl).scheme != "https":
            raise HubError(f"{req.full_url} redirects to an address that is not https")
        followed = super().redirect_request(req, fp, code, msg, headers, newurl)
        token = req.unredirected_hdrs.get(_AUTHORIZATION)
        if followed and token and _origin(followed.full_url) == _origin(req.full_url):
            followed.add_unredirected_header(_AUTHORIZATION, token)
        return followed


def _origin(url: str) -> tuple[str, str]:
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def _hidden(status: int, *, has_token: bool) -> str:
    """Say what a refusal can mean: the hub hides a private repository as if it were not there."""
    if status in _HIDES and has_token:
        return "; if it is there, the token of model.source.token_secret_arn may not see it"
    return "; if it is gated or private, it needs model.source.token_secret_arn" if status in _HIDES else ""
