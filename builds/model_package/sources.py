# ruff: noqa: N803 - the keywords of the client's call are S3's own
"""The two places a model can come from: a Hugging Face repository at one commit, or an object in S3."""

import ssl
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPMessage, HTTPResponse
from typing import IO, Any, Protocol
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit

from botocore.exceptions import BotoCoreError, ClientError

from download import InterruptedDownloadError, Opened
from model_pin import HubFile, PackagingError, StoredObject

HUB = "https://huggingface.co"
SOCKET_SECONDS = 60
AUTHORIZATION = "Authorization"
WORTH_ANOTHER_ATTEMPT = (408, 425, 429, 500, 502, 503, 504)


class _SameSecurity(urllib.request.HTTPRedirectHandler):
    """Follows a redirect, but never from https to anything else, and takes the token along to the same place alone."""

    def redirect_request(  # noqa: PLR0917 - the standard library's signature
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        if req.type == "https" and urlsplit(newurl).scheme != "https":
            raise PackagingError(f"{req.full_url} redirects to {urlsplit(newurl).scheme}, which is not https.")
        followed = super().redirect_request(req, fp, code, msg, headers, newurl)
        token = req.unredirected_hdrs.get(AUTHORIZATION)
        if followed and token and _origin(followed.full_url) == _origin(req.full_url):
            followed.add_unredirected_header(AUTHORIZATION, token)
        return followed


def _origin(url: str) -> tuple[str, str]:
    address = urlsplit(url)
    return address.scheme, address.netloc.lower()


@dataclass(frozen=True)
class _Available:
    """Reads what has arrived instead of waiting for a full chunk, so that a trickle cannot outlast the deadline."""

    response: HTTPResponse

    def read(self, amt: int, /) -> bytes:
        return self.response.read1(amt)


@dataclass(frozen=True)
class HubSource:
    """A file of a Hugging Face repository, over plain https.

    Attributes:
        file: Repository, commit and name.
        hub: Where the hub is.
        token: What the hub asks for to give out a gated or private file; no other host ever gets it.
    """

    file: HubFile
    hub: str = HUB
    token: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.hub}/{self.file.repository}/resolve/{self.file.revision}/{quote(self.file.file)}"

    @contextmanager
    def open(self, offset: int) -> Iterator[Opened]:
        """Ask for the file from an offset on."""
        headers = {"Accept-Encoding": "identity", "User-Agent": "semif-endpoints"}
        if offset:
            headers["Range"] = f"bytes={offset}-"
        secure = urllib.request.HTTPSHandler(context=ssl.create_default_context())
        opener = urllib.request.build_opener(_SameSecurity, secure)
        request = urllib.request.Request(str(self), headers=headers)  # noqa: S310 - the scheme is HUB's
        if self.token:
            # Not a header that redirects carry on: large files are sent from another host.
            request.add_unredirected_header(AUTHORIZATION, f"Bearer {self.token}")
        try:
            response = opener.open(request, timeout=SOCKET_SECONDS)
        except HTTPError as error:
            error.close()  # it is the response, connection included
            if error.code in WORTH_ANOTHER_ATTEMPT:
                raise InterruptedDownloadError(f"status {error.code}") from error
            raise PackagingError(f"{self} answers with status {error.code}.") from error
        except (OSError, HTTPException) as error:
            raise InterruptedDownloadError(f"{type(error).__name__}: {error}") from error
        with response:
            begins, total = _place(response.status, response.headers)
            if begins not in (0, offset):
                raise InterruptedDownloadError(f"asked for byte {offset}, got byte {begins}")
            yield Opened(_Available(response), begins, total)


def _place(status: int, headers: Mapping[str, str]) -> tuple[int, int | None]:
    """Read from an answer where its body begins and how large the whole file is."""
    if status == 206:  # noqa: PLR2004 - Partial Content
        span, _, total = headers.get("Content-Range", "").removeprefix("bytes ").partition("/")
        start = span.partition("-")[0]
        if not start.isdecimal():
            raise InterruptedDownloadError("a partial answer without a place")
        return int(start), int(total) if total.isdecimal() else None
    length = headers.get("Content-Length", "")
    return 0, int(length) if length.isdecimal() else None


class ObjectReader(Protocol):
    """The S3 call made here."""

    def get_object(self, *, Bucket: str, Key: str, Range: str) -> Mapping[str, Any]:
        """Open an object from some byte on."""


@dataclass(frozen=True)
class ObjectSource:
    """An object in S3."""

    object: StoredObject
    client: ObjectReader

    def __str__(self) -> str:
        return f"s3://{self.object.bucket}/{self.object.key}"

    @contextmanager
    def open(self, offset: int) -> Iterator[Opened]:
        """Ask for the object from an offset on."""
        try:
            found = self.client.get_object(Bucket=self.object.bucket, Key=self.object.key, Range=f"bytes={offset}-")
        except ClientError as error:  # botocore has retried what was worth it
            raise PackagingError(f"{self} cannot be read: {error}.") from error
        except BotoCoreError as error:
            raise InterruptedDownloadError(str(error)) from error
        with closing(found["Body"]) as body:
            yield Opened(body, offset, offset + int(found["ContentLength"]))
