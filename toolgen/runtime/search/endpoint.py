"""Vectors from a server that speaks OpenAI's embeddings API."""

from __future__ import annotations

import json
import os
import time
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from toolgen.runtime.search.embedding import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from toolgen.runtime.search.embedding import EndpointClass

_BATCH: Final = 96
"""Texts of one request; common servers take up to 2,048, and small ones fewer."""

_WAITS: Final = (0.5, 2.0)
"""Seconds before a request is made again that met a busy or failing server."""

_LARGEST: Final = 64 * 1024 * 1024
_OFTEN: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


class EndpointEmbedder:
    """Asks an endpoint, in batches. Redirects are refused: the key is for nobody else."""

    def __init__(
        self,
        settings: EndpointClass,
        *,
        environment: Mapping[str, str] = os.environ,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Raise EmbeddingError for a URL that is none, and for a key that is not in the environment."""
        if urlsplit(settings.url).scheme not in ("http", "https") or not urlsplit(settings.url).hostname:
            raise EmbeddingError("the url of an embedding endpoint starts with https://, or http:// on this machine")
        if settings.key_variable and not environment.get(settings.key_variable):
            raise EmbeddingError(f"the environment variable {settings.key_variable} holds no key for embeddings")
        self.model = settings.model
        self._url = f"{settings.url.rstrip('/')}/embeddings"
        self._host = urlsplit(settings.url).hostname
        self._key = environment.get(settings.key_variable, "") if settings.key_variable else ""
        self._timeout = settings.timeout_seconds
        self._sleep = sleep
        self._opener = build_opener(_NoRedirect)

    def embed(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Give the vectors of the server, in the order of the texts. Raises EmbeddingError."""
        return [
            vector
            for start in range(0, len(texts), _BATCH)
            for vector in self._embed_batch(list(texts[start : start + _BATCH]))
        ]

    def _embed_batch(self, texts: list[str]) -> Iterator[list[float]]:
        answer = self._asked(json.dumps({"model": self.model, "input": texts}).encode())
        try:
            rows = sorted(json.loads(answer)["data"], key=lambda row: row["index"])
            vectors = [[float(number) for number in row["embedding"]] for row in rows]
        except (ValueError, LookupError, TypeError) as error:
            raise EmbeddingError(f"the embedding endpoint at {self._host} answered no embeddings") from error
        if len(vectors) != len(texts):
            raise EmbeddingError(
                f"the embedding endpoint at {self._host} answered {len(vectors)} vectors for {len(texts)} texts"
            )
        return iter(vectors)

    def _asked(self, body: bytes) -> bytes:
        for wait in _WAITS:
            try:
                return self._answer(body)
            except _BusyError:
                self._sleep(wait)
        return self._answer(body)

    def _answer(self, body: bytes) -> bytes:
        request = Request(self._url, data=body, headers={"Content-Type": "application/json"})  # noqa: S310 (http only)
        if self._key:
            request.add_header("Authorization", f"Bearer {self._key}")
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                answer: bytes = response.read(_LARGEST + 1)
        except HTTPError as error:
            kind = _BusyError if error.code in _OFTEN else EmbeddingError
            raise kind(f"the embedding endpoint at {self._host} answered {error.code}{_said(error)}") from None
        except (URLError, OSError, HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise _BusyError(f"the embedding endpoint at {self._host} cannot be reached: {reason}") from None
        if len(answer) > _LARGEST:
            raise EmbeddingError(f"the embedding endpoint at {self._host} answered more than {_LARGEST >> 20} MiB")
        return answer


class _BusyError(EmbeddingError):
    """The server may answer when it is asked again."""


class _NoRedirect(HTTPRedirectHandler):
    """Leaves redirects to the caller, as the errors that they are here."""

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> None:
        """Follow none."""


def _said(error: HTTPError) -> str:
    """What the server says is wrong, in one short line; empty where it says nothing."""
    try:
        said = json.loads(error.read(10_000))["error"]["message"]
    except (ValueError, LookupError, TypeError, OSError):
        return ""
    return f": {' '.join(said.split())[:200]}" if isinstance(said, str) else ""
