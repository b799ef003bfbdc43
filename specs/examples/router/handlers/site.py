"""A web of one site: its pages are ranked for a search, and fetched over HTTP."""

from __future__ import annotations

from contextlib import contextmanager
from html.parser import HTMLParser
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from specs.examples.router.handlers.ranking import rank
from specs.examples.router.handlers.refusals import rejected
from toolgen.runtime import CallFailed, FailureKind

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

HOST: Final = "harbour.example"
"""The name that the site goes by. It is looked up nowhere: `.example` is kept for examples (RFC 2606)."""

_CONTENT_TYPES: Final = {".html": "text/html; charset=utf-8", ".txt": "text/plain; charset=utf-8"}
_SECONDS: Final = 5.0
_SNIPPET: Final = 160


class Page(NamedTuple):
    """A page as it is sent. `content_type` is that of the header."""

    content: bytes
    content_type: str

    @property
    def text(self) -> str:
        """What a reader sees of it."""
        text = self.content.decode()
        return text_of_html(text) if self.content_type.startswith("text/html") else text.strip()


class Site:
    """The files of a folder as a web site, in memory. Its server listens on 127.0.0.1, for one request at a time."""

    def __init__(self, folder: Path) -> None:
        files = sorted(file for file in folder.iterdir() if file.suffix in _CONTENT_TYPES)
        self._pages = {f"/{file.name}": Page(file.read_bytes(), _CONTENT_TYPES[file.suffix]) for file in files}

    def search(self, query: str, limit: int) -> list[tuple[str, float, str]]:
        """Give up to `limit` pages that fit a query, the best first: URL, score, and the beginning of the text."""
        texts = {path: page.text for path, page in self._pages.items()}
        return [
            (f"http://{HOST}{found.key}", found.score, texts[found.key][:_SNIPPET])
            for found in rank(query, texts, limit)
        ]

    def fetch(self, url: str) -> Page:
        """Get a page of the site by HTTP.

        Raises `CallFailed` with `host_unknown` for what is not of this site, `page_not_found`, `host_unreachable`.
        """
        path = _path_of(url)
        try:
            with self._serving() as port:
                status, page = _get(port, path)
        except (OSError, HTTPException) as error:
            raise CallFailed(FailureKind.UNAVAILABLE, "host_unreachable", f"{HOST} does not answer") from error
        if status != 200:
            raise rejected("page_not_found", f"{HOST} answers with {status}", "look for a page with a web search")
        return page

    @contextmanager
    def _serving(self) -> Generator[int]:
        """Serve one request, and give the port that it is awaited on: nothing is left running after it."""
        pages = self._pages

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # the name that the server calls
                page = pages.get(unquote(self.path))
                self.send_response(200 if page else 404)
                if page:
                    self.send_header("Content-Type", page.content_type)
                    self.send_header("Content-Length", str(len(page.content)))
                self.end_headers()
                self.wfile.write(page.content if page else b"")

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # named so by the class above
                """Print nothing: stderr is the host's."""

        with TCPServer(("127.0.0.1", 0), Handler) as server:
            server.timeout = _SECONDS
            thread = Thread(target=server.handle_request)
            thread.start()
            try:
                yield server.server_address[1]
            finally:
                thread.join()


def _path_of(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise rejected("invalid_url", "that is no URL", f"write it as http://{HOST}/index.html") from None
    if (parts.scheme, parts.netloc) != ("http", HOST):
        raise rejected("host_unknown", f"only http://{HOST} is reachable", "look for a page of it with a web search")
    return quote(unquote(parts.path)) if parts.path.strip("/") else "/index.html"


def _get(port: int, path: str) -> tuple[int, Page]:
    connection = HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
    try:
        connection.request("GET", path, headers={"Host": HOST})
        answer = connection.getresponse()
        return answer.status, Page(answer.read(), answer.headers.get("Content-Type", ""))
    finally:
        connection.close()


def text_of_html(html: str) -> str:
    """Give the text of a page, a line for each of its blocks."""
    reader = _TextReader()
    reader.feed(html)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.parts).split("\n"))
    return "\n".join(line for line in lines if line)


class _TextReader(HTMLParser):
    _BLOCKS: Final = frozenset({"title", "h1", "h2", "p", "li", "tr", "div"})
    _UNSEEN: Final = frozenset({"script", "style"})

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in self._UNSEEN

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in self._UNSEEN
        self.parts.append("\n" if tag in self._BLOCKS else " ")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data.replace("\n", " "))
