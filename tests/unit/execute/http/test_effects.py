"""Failures of writes: each says whether the write may have taken effect."""

from __future__ import annotations

import re
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.responses import JSONResponse, RedirectResponse, Response

from tests.unit.execute.http.api import Recorder, error_of, invoke, package_of
from toolgen.execute.http import responses, sending

if TYPE_CHECKING:
    from toolgen.runtime import Catalog

SPEC = """
toolgen: 1
toolset: shop.api
kind: http
api: {base_url: "http://api.shop.example/v1", idempotency_header: Idempotency-Key, security: []}
tools:
  get: {description: x, permission: readonly, args: {}, http: {method: GET, path: /items}}
  put: {description: x, args: {}, http: {method: PUT, path: /items}}
  post: {description: x, args: {}, http: {method: POST, path: /items, errors: {"503": The shop is closed.}}}
  page: {description: x, args: {"at?": string}, result: {type: array, items: {type: integer}},
    bounded: {cursor: at, next_header: Link}, http: {method: POST, path: /pages, params: {at: query}}}
"""
POSSIBLE = "the call may have taken effect: check whether it did before you repeat it"
SUCCEEDED = "the request succeeded and may have taken effect: do not repeat it"


def moved(status: int, url: str) -> Response:
    return RedirectResponse(url, status)


def coded(coding: str, status: int = 200) -> Response:
    return Response(b"abcd", status, {"Content-Encoding": coding})


AFTER: dict[str, tuple[list[Any], str, str]] = {
    "not gzip": ([coded("gzip")], "unreadable_response", SUCCEEDED),
    "not asked for": ([coded("br")], "unreadable_response", SUCCEEDED),
    "an unreadable error": ([coded("gzip", 500)], "unreadable_response", POSSIBLE),
    "an unreadable refusal": ([coded("gzip", 404)], "unreadable_response", ""),
    "too long": ([Response(b"x" * 5_000)], "response_too_large", SUCCEEDED),
    "too many values": (
        [Response(b"[" * 600 + b"]" * 600, media_type="application/json")],
        "response_too_large",
        SUCCEEDED,
    ),
    "another host": ([moved(303, "http://other.example/x")], "redirect_refused", POSSIBLE),
    "a write at another host": ([moved(307, "https://api.shop.example/x")], "redirect_refused", POSSIBLE),
    "another scheme": ([moved(303, "ftp://api.shop.example/x")], "redirect_refused", POSSIBLE),
    "no URL": ([Response(status_code=303, headers={"Location": "http://[::bad/"})], "invalid_redirect", POSSIBLE),
    "a loop": ([moved(307, "/v1/items")] * 6, "too_many_redirects", POSSIBLE),
    "a page that is missing": ([moved(303, "/done"), Response(status_code=404)], "http_404", POSSIBLE),
    "a page that asks to wait": ([moved(303, "/done"), Response(status_code=429)], "http_429", POSSIBLE),
    "a move to nothing": ([moved(308, "/moved"), Response(status_code=404)], "http_404", ""),
    **{
        str(status): ([Response(status_code=status)] * 3, f"http_{status}", POSSIBLE)
        for status in (300, 304, 408, 500, 502, 503, 504, 599)
    },
    **{
        str(status): ([Response(status_code=status)] * 3, f"http_{status}", "")
        for status in (400, 401, 403, 404, 409, 413, 422, 425, 429)
    },
}
"""Answers to a request, the code of the failure, and what a write says of its effect."""

NOT_SENT = {"invalid_url", "invalid_request", "host_unreachable", "host_denied", "no_token"}
NO_RESPONSE = {"no_response", "connection_lost"}


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return package_of(tmp_path_factory.mktemp("effects"), "compiled_effects", SPEC)


@pytest.mark.parametrize("name", AFTER)
def test_a_failure_after_a_write_was_sent_says_whether_it_may_have_taken_effect(catalog: Catalog, name: str) -> None:
    answers, code, effect = AFTER[name]
    recorder = Recorder(answers=[*answers])
    result = invoke(catalog, "post", app=recorder, response_bytes=4_000, max_wait=0)
    error = error_of(result)
    assert error.code == code
    assert error.hint.startswith(effect)
    assert ("effect" in error.hint) == bool(effect)
    assert ("The shop is closed." in error.hint) == (name == "503")
    assert effect in result.blocks[0].data
    if effect:
        assert [each.method for each in recorder.requests].count("POST") == (6 if name == "a loop" else 1)


@pytest.mark.parametrize("tool", ["get", "put"])
@pytest.mark.parametrize("name", AFTER)
def test_what_may_be_repeated_says_nothing_of_effects(catalog: Catalog, name: str, tool: str) -> None:
    answers, _, _ = AFTER[name]
    result = invoke(catalog, tool, app=Recorder(answers=[*answers]), response_bytes=4_000, max_wait=0)
    assert not any("effect" in each for each in (error_of(result).hint, *(str(block.data) for block in result.blocks)))


def test_each_failure_that_sending_and_reading_have_is_one_of_these() -> None:
    """A new one needs a case here."""
    written = "".join(Path(str(module.__file__)).read_text(encoding="utf-8") for module in (sending, responses))
    found = set(re.findall(r'(?:FailureKind\.\w+, |code=)"(\w+)"', written))
    assert found == {code for _, code, _ in AFTER.values() if not code.startswith("http_")} | NOT_SENT | NO_RESPONSE


@pytest.mark.parametrize("part", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", b"nonsense\r\n\r\n"])
def test_a_connection_that_ends_amid_a_response_may_have_taken_effect(catalog: Catalog, part: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(part)

        thread = threading.Thread(target=serve)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        error = error_of(invoke(catalog, "post", base_url=url, max_wait=0))
        thread.join()
    assert error.code == "connection_lost"
    assert error.hint in (POSSIBLE, SUCCEEDED)


def test_a_write_whose_redirect_leads_nowhere_is_made_once(catalog: Catalog) -> None:
    """The request after a redirect is another one: that it cannot connect does not say that nothing was sent."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        sent: list[bytes] = []

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                sent.append(connection.recv(65_536))
                listening.close()
                connection.sendall(
                    b"HTTP/1.1 303 See Other\r\nLocation: /x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
                )

        thread = threading.Thread(target=serve)
        thread.start()
        error = error_of(invoke(catalog, "post", base_url=f"http://127.0.0.1:{port}"))
        thread.join()
    assert (error.code, error.hint, len(sent)) == ("host_unreachable", POSSIBLE, 1)


@pytest.mark.parametrize(
    ("link", "cursor"),
    [
        ('<http://[x/list?at=2>; rel="next"', "2"),
        ('<http://\u2100.example/?at=2>; rel="next"', "2"),
        ("<?at=2#at=3>; rel=next", "2"),
        ("</list#?at=2>; rel=next", None),
        ("<http://[x/>; rel=next", None),
    ],
)
def test_the_cursor_of_a_link_is_read_whatever_its_host_is(catalog: Catalog, link: str, cursor: str | None) -> None:
    answer = JSONResponse([1], 201)
    answer.raw_headers.append((b"link", link.encode()))
    result = invoke(catalog, "page", app=Recorder(answers=[answer]))
    assert result.error is None
    assert result.bounds is not None
    assert result.bounds.next_cursor == cursor
