"""Media types: which content is JSON, text or bytes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote_plus, urlsplit, urlunsplit

from toolgen.spec.templates import VARIABLE

# Bodies of errors that say which values are wrong: where these have their list, and the place of a value.

ERROR_LISTS: Final = ("detail", "errors", "invalid-params", "invalid_params", "issues", "violations")
"""Members of a body that have its errors.

`detail` is FastAPI's, `errors` that of RFC 9457 (section 3), JSON:API and others, `invalid-params` that of RFC 7807
(section 3), `issues` that of Zod, and so of many MCP servers.
"""

ERROR_PATHS: Final = ("loc", "pointer", "path", "field", "name", "param", "propertyPath")
"""Members of an error that have the place of the value."""


# The `path` of an HTTP tool: what is routed, the query that each request has, and what only names the operation.

_QUERY: Final = "%:/?@!$'()*+,;=&"
"""What stays as it is in a fixed query: reserved characters, and what is encoded already."""

_SEPARATOR: Final = re.compile("[&;]")
"""What ends a field of a query; some servers take `;` for it."""

_STEP: Final = re.compile(r"\[\]|[^\[\]]+")
_ANY: Final = "[]"


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


def query_fields(parts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the names and the values of an encoded query or form, decoded."""
    for part in parts:
        for each in _SEPARATOR.split(part):
            name, _, value = each.partition("=")
            yield unquote_plus(name), unquote_plus(value)


def is_same_field(one: str, other: str) -> bool:
    """Return whether a server may take two names of a query or a form for one field, or one for a part of the other.

    Many read `a[b]` and `a[]` as parts of `a` (PHP, Rack, qs), and `[a]` as `a`; ASP.NET ignores case; PHP reads a
    blank and a dot as `_`, drops blanks at the beginning, and ends a name at NUL.
    """
    steps, others = _steps(one), _steps(other)
    if not steps or not others:
        return steps == others
    return all(a == b or _ANY in (a, b) for a, b in zip(steps, others, strict=False))


def _steps(name: str) -> list[str]:
    """Return the parts of the name of a field: `a`, `b` of `a[b]`. An index that is left out may be any."""
    text = name.partition("\0")[0].strip().casefold().translate(_AS_PHP)
    steps = _STEP.findall(text)
    return steps[1:] if steps[:1] == [_ANY] else steps


_AS_PHP: Final = str.maketrans(" .", "__")


def shown_url(url: str) -> str:
    """Return a URL for a message: without its query, a login and a fragment, which may have secrets."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "an invalid URL"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


# Header fields of a request: what one may be called, and contain.

_TOKEN: Final = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_NOT_IN_VALUE: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")

CONNECTION_HEADERS: Final = frozenset({"connection", "content-length", "host", "transfer-encoding"})
"""Headers that say where a request goes and where it ends, in lower case: those of the client, never an arg."""


def is_header_name(text: str) -> bool:
    """Return whether a text can be the name of a header or of a cookie: a token (RFC 9110, section 5.6.2)."""
    return _TOKEN.fullmatch(text) is not None


def is_header_value(text: str) -> bool:
    """Return whether a text can be the value of a header: it has no line breaks and no control characters."""
    return _NOT_IN_VALUE.search(text) is None


# Credentials of a request: the names that they have, which no arg has.


def credential_names(
    auth: Mapping[str, Mapping[str, Any]], security: Sequence[Sequence[str]] | None, headers: Mapping[str, str]
) -> frozenset[tuple[str, str]]:
    """Return the places and the names, in lower case, of what only the host sends with a request.

    These are the credentials of the alternatives in `security`, where None is each `auth` alone, and headers with a
    variable of the environment. All cookies are one header.
    """
    used = auth if security is None else dict.fromkeys(name for each in security for name in each)
    found = {_credential_name(auth[name]) for name in used if name in auth}
    found |= {("header", name.lower()) for name, value in headers.items() if VARIABLE.search(value)}
    return frozenset(found | {("header", "cookie")} if any(place == "cookie" for place, _ in found) else found)


def token_urls(auth: Mapping[str, Mapping[str, Any]], security: Sequence[Sequence[str]] | None) -> tuple[str, ...]:
    """Return the token endpoints that requests with the alternatives in `security` may need, where None is any `auth`.

    They get credentials before the API gets the request, so their hosts are hosts of the call.
    """
    used = auth if security is None else [name for each in security for name in each]
    found = (auth[name].get("token_url") for name in used if name in auth)
    return tuple(dict.fromkeys(url for url in found if url))


def is_credential(place: str, name: str, names: Collection[tuple[str, str]]) -> bool:
    """Return whether what is sent under a name is one of the credentials in `names`, or may be taken for it."""
    if place in ("query", "cookie"):
        return any(place == other and is_same_field(name, known) for other, known in names)
    return (place, name.lower()) in names


def _credential_name(auth: Mapping[str, Any]) -> tuple[str, str]:
    is_key = auth.get("type") == "api_key"
    return (auth.get("in") or "", (auth.get("name") or "").lower()) if is_key else ("header", "authorization")


_BEARER: Final = re.compile(r"[\x21-\x7e]+")


def is_bearer_token(text: str) -> bool:
    """Return whether a text can be sent as a token: one or more visible ASCII characters (RFC 6749, appendix A)."""
    return _BEARER.fullmatch(text) is not None


FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"

_TEXTS: Final = ("text/", "application/xml", "application/yaml", "application/x-yaml", "application/javascript")
_TEXT_SUFFIXES: Final = ("+xml", "+yaml", "/x-www-form-urlencoded", "/x-ndjson", "/jsonl", "/json-seq", "/graphql")


def essence(media_type: str) -> str:
    """Return a media type without parameters, in lower case."""
    return media_type.partition(";")[0].strip().lower()


_CODECS: Final = frozenset(
    {
        *("utf-8", "utf-8-sig", "ascii", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"),
        *(f"iso8859-{part}" for part in range(1, 17)),
        *(f"cp{page}" for page in range(1250, 1259)),
        *("koi8-r", "koi8-u", "shift_jis", "cp932", "euc_jp", "euc_kr", "cp949", "gb2312", "gbk", "gb18030"),
        *("big5", "cp950", "mac-roman", "cp437", "cp850", "cp866", "tis-620"),
    }
)
"""Codecs of the standard library that are written in C and take linear time, as `codecs.lookup` names them."""


def codec_of(charset: str) -> str:
    """Return the codec that texts are read and sent by, by the name of a charset; empty for an unknown one.

    Those that may take more than linear time, such as Punycode's, and those that are not of text are unknown.
    """
    try:
        known = codecs.lookup(charset).name
    except (LookupError, ValueError):
        return ""
    return known if known in _CODECS else ""


def charset_of(media_type: str) -> str:
    """Return the `charset` parameter; empty where there is none."""
    parameters = (each.strip().partition("=") for each in media_type.split(";")[1:])
    return next((value.strip('" ') for name, _, value in parameters if name.strip().lower() == "charset"), "")


def is_json(media_type: str) -> bool:
    """Return whether content is JSON, by the name or the suffix of its media type (RFC 6839); `*/*` is taken for it."""
    name = essence(media_type)
    return name in ("application/json", "text/json", "*/*", "application/*") or name.endswith("+json")


def is_text(media_type: str) -> bool:
    """Return whether content is text that is not JSON."""
    name = essence(media_type)
    return not is_json(name) and (name.startswith(_TEXTS) or name.endswith(_TEXT_SUFFIXES))


def is_binary(media_type: str) -> bool:
    """Return whether content is neither JSON nor text. Content without a media type is taken for text."""
    return bool(media_type) and not is_json(media_type) and not is_text(media_type)
