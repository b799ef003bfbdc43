"""The `path` of an HTTP tool: what is routed, the query that each request has, and what only names the operation."""

from __future__ import annotations

from typing import Final, NamedTuple
from urllib.parse import quote, unquote_plus

_QUERY: Final = "%:/?@!$'()*+,;=&"
"""What stays as it is in a fixed query: reserved characters, and what is encoded already."""


class HttpPath(NamedTuple):
    """The parts of a path, as written."""

    path: str
    query: str
    fragment: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fixed query, decoded."""
        return tuple(unquote_plus(each.partition("=")[0]) for each in self.query.split("&") if each)

    @property
    def sent_query(self) -> tuple[str, ...]:
        """The fixed query as it is sent."""
        return tuple(quote(each, safe=_QUERY) for each in self.query.split("&") if each)


def http_path(text: str) -> HttpPath:
    """Split a path: `/items?kind=new#list` has the query `kind=new` and the fragment `list`."""
    before, _, fragment = text.partition("#")
    path, _, query = before.partition("?")
    return HttpPath(path, query, fragment)
