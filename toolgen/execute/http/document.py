"""Documents: read from a URL by a command, within the bounds of any answer."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Final

import httpx2

from toolgen.runtime.base.received import ACCEPT_ENCODING, Body, TooMuch

_TIMEOUT: Final = 30.0
"""Seconds to wait for a connection, and for each part of a document."""

_SECONDS: Final = 300.0
"""Seconds in which a document comes, at most, whatever its parts take."""


_REDIRECTS: Final = 5


def read_document(url: str, bound: int, check: Callable[[str], None]) -> tuple[str, bytes]:
    """Return where a document was found, after redirects, and its bytes.

    `check` raises for a URL that may not be requested; it is given that of each redirect before it is followed. Raises
    `ValueError` for a status that is no success, `TooMuch` and `Unreadable` of `received`, and what httpx2 raises.
    """
    deadline = monotonic() + _SECONDS
    with httpx2.Client(timeout=_TIMEOUT, headers={"Accept-Encoding": ACCEPT_ENCODING}) as client:
        request = client.build_request("GET", url)
        for _ in range(_REDIRECTS + 1):
            check(str(request.url))
            answer = client.send(request, stream=True)
            try:
                if answer.next_request is None:
                    return str(answer.url), _body_of(answer, bound, deadline)
                request = answer.next_request
            finally:
                answer.close()
    raise ValueError(f"the server redirects more than {_REDIRECTS} times")


def _body_of(answer: httpx2.Response, bound: int, deadline: float) -> bytes:
    if not answer.is_success:
        raise ValueError(f"the server answers {answer.status_code}")
    body = Body(answer.headers.get("content-encoding", ""), bound)
    for chunk in answer.iter_raw():
        for _ in body.take(chunk):
            if monotonic() > deadline:
                raise TooMuch(f"it takes more than {_SECONDS:g} s to read")
        if not body.is_complete:
            break
    return body.close()
