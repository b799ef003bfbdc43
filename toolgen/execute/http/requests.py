"""Requests: an operation and its args, as the request that is sent."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote_plus

from toolgen.contract.records import FailureKind
from toolgen.execute.http.bodies import content_of, text_of_json
from toolgen.execute.http.routes import Filled
from toolgen.execute.http.styles import (
    FORM_QUERY,
    IN_COOKIE,
    in_header,
    in_path,
    is_undefined,
    pairs,
    path_encoding,
    percent_encoded,
    reserved_kept,
    text_of,
)
from toolgen.runtime.base.errors import CallFailed
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.media_types import FORM, essence, is_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.execute.http.bodies import Content
    from toolgen.execute.http.operation import Operation, Param
    from toolgen.execute.http.routes import Routes

_NOT_IN_COOKIE: Final = re.compile(r"[^\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]")
"""What no cookie-octet is (RFC 6265, section 4.1.1)."""
_UNSENDABLE: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


@dataclass(slots=True, kw_only=True)
class Request:
    """A request before credentials are added. `path` and `query` are encoded; header names are as written."""

    method: str
    path: str
    query: list[str] = field(default_factory=list[str])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    cookies: list[str] = field(default_factory=list[str])
    content: Content | None = None

    def url(self, base_url: str) -> str:
        """Return the whole URL."""
        query = f"?{'&'.join(self.query)}" if self.query else ""
        return f"{base_url.rstrip('/')}{self.path}{query}"


def request_of(operation: Operation, args: Mapping[str, Any], routes: Routes) -> Request:
    """Return the request of a call. Raises `CallFailed` for args that no request can have.

    `routes` are the operations of the same API.
    """
    request = without_body(operation, args, routes)
    if operation.body is not None:
        placed = frozenset(param.arg for param in operation.params)
        request.content = content_of(operation.body, args, placed)
    return request


def without_body(operation: Operation, args: Mapping[str, Any], routes: Routes) -> Request:
    """Return the request of a call without its body, as `request_of`. Args that are absent keep their placeholder."""
    request = Request(method=operation.method, path="", query=[*operation.query])
    filled: list[Filled] = []
    for param in operation.params:
        if param.arg not in args:
            continue
        value = args[param.arg]
        if param.place == "path":
            filled.append(Filled(param, _path_text(param, value)))
        elif not is_undefined(value):
            _place(request, param, value)
    request.path = routes.path_of(operation, filled)
    return request


def _path_text(param: Param, value: Any) -> str:
    encode = path_encoding(allow_reserved=param.allow_reserved, separators=param.separators)
    if param.content:
        return encode(_content_text(param, value))
    return in_path(param.name, value, param.style, explode=bool(param.explode), encode=encode)


def _place(request: Request, param: Param, value: Any) -> None:
    encode = reserved_kept if param.allow_reserved else percent_encoded
    match param.place:
        case "header":
            text = (
                _content_text(param, value)
                if param.content
                else in_header(value, param.style, explode=bool(param.explode))
            )
            request.headers[param.name] = _sendable(param.arg, text)
        case "cookie":
            if param.content:
                found = [(percent_encoded(param.name), percent_encoded(_content_text(param, value)))]
            elif param.style == "cookie":
                plain = partial(_cookie_text, param.arg)
                found = pairs(param.name, value, "cookie", explode=param.explode, encode=plain, encode_name=plain)
            else:
                encode = partial(reserved_kept, safe=IN_COOKIE) if param.allow_reserved else percent_encoded
                found = pairs(param.name, value, param.style, explode=param.explode, encode=encode)
            request.cookies += [f"{name}={_sendable(param.arg, text)}" for name, text in found]
        case "querystring":
            request.query += _whole_query(param, value)
        case _:
            found = (
                [(percent_encoded(param.name), encode(_content_text(param, value)))]
                if param.content
                else pairs(param.name, value, param.style, explode=param.explode, encode=encode)
            )
            request.query += [f"{name}={text}" for name, text in found]


def _whole_query(param: Param, value: Any) -> list[str]:
    """Return the parts of a query that is one value, by its media type: fields of a form, or a text percent-encoded."""
    if essence(param.content) != FORM:
        text = _content_text(param, value)
        return [percent_encoded(text)] if text else []
    if not is_object(value):
        text = text_of(value)
        return [reserved_kept(text, FORM_QUERY)] if text else []
    shown = {name: item if is_array(item) else text_of(item) for name, item in value.items() if item is not None}
    found = [
        pair for name, item in shown.items() for pair in pairs(name, item, encode=quote_plus, encode_name=quote_plus)
    ]
    return [f"{name}={text}" for name, text in found]


def _content_text(param: Param, value: Any) -> str:
    return text_of_json(value) if is_json(param.content) else text_of(value)


def _cookie_text(arg: str, text: str) -> str:
    """Return a part of a cookie as it is (OpenAPI 3.2, `cookie`): what needs escaping is given in escaped form."""
    if _NOT_IN_COOKIE.search(text):
        message = f"{arg} is sent as a cookie, which has no blanks, quotes, `,`, `;`, `\\` and nothing beyond ASCII"
        raise CallFailed(FailureKind.INVALID_CALL, "invalid_cookie_value", message, "percent-encode them")
    return text


def _sendable(arg: str, text: str) -> str:
    if _UNSENDABLE.search(text):
        message = f"{arg} is sent as a header, which has no line breaks and no control characters"
        raise CallFailed(FailureKind.INVALID_CALL, "invalid_header_value", message)
    return text.strip(" \t")
