"""Vectors from a server with OpenAI's embeddings API."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from http.client import HTTPException
from ipaddress import ip_address
from threading import Thread
from typing import TYPE_CHECKING, Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from toolgen.llm.search.embedding import EmbeddingError
from toolgen.runtime.base.received import ANSWER_BYTES, TooMuch, json_of
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.llm.search.embedding import EndpointClass

_BATCH: Final = 96
"""Maximum texts per request; common servers accept up to 2,048, small ones fewer."""

_WAITS: Final = (0.5, 2.0)
"""Seconds before a request to a busy or failing server is retried."""

_NUMBERS: Final = _BATCH * 10_000
"""JSON values of an answer: vectors have up to some thousand numbers."""

_CHUNK: Final = 64 * 1024
_MAX_MESSAGE: Final = 200
"""Maximum characters of a server's error that are shown."""

_OFTEN: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


class EndpointEmbedder:
    """Requests vectors in batches. Redirects are refused, and the key is sent only over https or to this machine."""

    def __init__(
        self,
        settings: EndpointClass,
        *,
        environment: Mapping[str, str] = os.environ,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Raise EmbeddingError for an invalid URL or one with a secret, and for a missing or invalid key."""
        url = _split(settings.url)
        self._host = url.hostname or ""
        self._key = _key_of(settings.key_variable, environment) if settings.key_variable else ""
        here = _is_here(self._host)
        if self._key and url.scheme == "http" and not here:
            raise EmbeddingError(
                f"the key for embeddings is not sent to {self._host} over http://, where others can read it: use https://"
            )
        self._name = settings.model
        self._url = f"{settings.url.rstrip('/')}/embeddings"
        self._timeout = settings.timeout_seconds
        self._sleep = sleep
        self._opener = build_opener(_NoRedirect, *([ProxyHandler({})] if here else []))
        self.model = f"endpoint {settings.url.rstrip('/')} {settings.model}"

    def embed(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Return the vectors of the server, in the order of the texts.

        Raises EmbeddingError, at the latest after `timeout_seconds`, which include all requests and retries.
        """
        deadline = time.monotonic() + self._timeout
        batches = (list(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH))
        return [vector for batch in batches for vector in self._embed_batch(batch, deadline)]

    def _embed_batch(self, texts: list[str], deadline: float) -> list[list[float]]:
        answer = self._asked(json.dumps({"model": self._name, "input": texts}).encode(), deadline)
        try:
            vectors = _vectors(json_of(answer.decode("utf-8-sig", "replace"), _NUMBERS))
        except TooMuch as error:
            raise EmbeddingError(f"the embedding endpoint at {self._host} returned no embeddings: {error}") from error
        except ValueError as error:
            raise EmbeddingError(f"the embedding endpoint at {self._host} returned no embeddings") from error
        if len(vectors) != len(texts):
            raise EmbeddingError(
                f"the embedding endpoint at {self._host} returned {len(vectors)} vectors for {len(texts)} texts"
            )
        return vectors

    def _asked(self, body: bytes, deadline: float) -> bytes:
        for wait in _WAITS:
            try:
                return self._answer_by(deadline, body)
            except _BusyError:
                if time.monotonic() + wait >= deadline:
                    raise
                self._sleep(wait)
        return self._answer_by(deadline, body)

    def _answer_by(self, deadline: float, body: bytes) -> bytes:
        """Wait for a response in a thread, which may be abandoned.

        A socket timeout limits each read, but not the total time of a slow response.
        """
        answer: Future[bytes] = Future()
        Thread(target=self._answer_to, args=(answer, body, deadline), daemon=True, name="toolgen-embedding").start()
        try:
            return answer.result(max(deadline - time.monotonic(), 0))
        except TimeoutError:
            raise self._late() from None

    def _answer_to(self, answer: Future[bytes], body: bytes, deadline: float) -> None:
        try:
            answer.set_result(self._answer(body, deadline))
        except BaseException as error:  # noqa: BLE001  # it is raised where the answer is waited for
            answer.set_exception(error)

    def _answer(self, body: bytes, deadline: float) -> bytes:
        request = Request(self._url, data=body, headers={"Content-Type": "application/json"})  # noqa: S310  # http only
        if self._key:
            request.add_header("Authorization", f"Bearer {self._key}")
        answer = bytearray()
        try:
            with self._opener.open(request, timeout=max(deadline - time.monotonic(), 0.001)) as response:
                while chunk := response.read1(_CHUNK):
                    answer += chunk
                    if time.monotonic() > deadline:
                        raise self._late()
                    if len(answer) > ANSWER_BYTES:
                        raise EmbeddingError(
                            f"the embedding endpoint at {self._host} returned more than {ANSWER_BYTES >> 20} MiB"
                        )
        except HTTPError as error:
            kind = _BusyError if error.code in _OFTEN else EmbeddingError
            reason = self._printable(_message(error))
            raise kind(
                f"the embedding endpoint at {self._host} returned {error.code}{reason and f': {reason}'}"
            ) from None
        except (URLError, OSError, HTTPException) as error:
            reason = self._printable(str(getattr(error, "reason", error)))
            raise _BusyError(f"the embedding endpoint at {self._host} cannot be reached: {reason}") from None
        return bytes(answer)

    def _late(self) -> EmbeddingError:
        return EmbeddingError(f"the embedding endpoint at {self._host} did not answer within {self._timeout:g} seconds")

    def _printable(self, text: str) -> str:
        """Return an external text as one short line, without the key and control characters."""
        plain = text.replace(self._key, "***") if self._key else text
        return visible(" ".join(plain.split())[:_MAX_MESSAGE])


class _BusyError(EmbeddingError):
    """The server may answer a retry."""


class _NoRedirect(HTTPRedirectHandler):
    """Treats redirects as errors."""

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> None:
        """Follow none."""


def _split(text: str) -> SplitResult:
    """Parse a URL; only URLs that can be requested and shown in errors are accepted."""
    try:
        url = urlsplit(text)
        port_is_one = url.port is None or url.port > 0
    except ValueError:
        url, port_is_one = urlsplit(""), False
    if url.scheme not in ("http", "https") or not url.hostname or not port_is_one:
        raise EmbeddingError("the url of an embedding endpoint starts with https://, or http:// on this machine")
    if "@" in url.netloc:
        raise EmbeddingError("the url of an embedding endpoint must not contain a user or password; use `key_variable`")
    if not _is_printable(text) or "?" in text or "#" in text:
        raise EmbeddingError(
            "the url of an embedding endpoint must not contain spaces, special characters, a query or a fragment"
        )
    return url


def _key_of(variable: str, environment: Mapping[str, str]) -> str:
    key = environment.get(variable, "").strip()
    if not key:
        raise EmbeddingError(f"the environment variable {variable} has no key for embeddings")
    if not _is_printable(key):
        raise EmbeddingError(
            f"the environment variable {variable} has an invalid key: it contains spaces or special characters"
        )
    return key


def _is_printable(text: str) -> bool:
    return all("!" <= char <= "~" for char in text)


def _is_here(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _vectors(answer: Any) -> list[list[float]]:
    """Return the vectors of a response by their indexes. Raises ValueError for any other response."""
    rows = answer.get("data") if is_object(answer) else None
    if not is_array(rows) or not all(is_object(row) for row in rows):
        raise ValueError("there are no rows")
    by_index = {row.get("index"): row.get("embedding") for row in rows if type(row.get("index")) is int}
    if len(by_index) != len(rows) or by_index.keys() != set(range(len(rows))):
        raise ValueError("the indexes are not those of the texts")
    return [_vector(by_index[place]) for place in range(len(rows))]


def _vector(numbers: Any) -> list[float]:
    if not is_array(numbers) or not numbers or not all(type(number) in (int, float) for number in numbers):
        raise ValueError("an embedding is a list of numbers")
    try:
        return [float(number) for number in numbers]
    except OverflowError as error:
        raise ValueError("a number is too large") from error


def _message(error: HTTPError) -> str:
    """Return the error message of a server; empty if there is none."""
    try:
        message = json.loads(error.read(10_000))["error"]["message"]
    except (ValueError, LookupError, TypeError, OSError, HTTPException, RecursionError):
        return ""
    return message if isinstance(message, str) else ""
