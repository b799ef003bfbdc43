"""Requests: an operation and its args, as the request that is sent."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import FailureKind
from toolgen.execute.http.bodies import content_of, text_of_json
from toolgen.execute.http.styles import (
    in_header,
    in_path,
    is_undefined,
    pairs,
    percent_encoded,
    reserved_kept,
    text_of,
)
from toolgen.runtime.base.errors import CallFailed
from toolgen.spec.media_types import is_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.execute.http.bodies import Content
    from toolgen.execute.http.operation import Operation, Param

_PLACEHOLDER: Final = re.compile(r"\{([^{}]*)\}")
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


def request_of(operation: Operation, args: Mapping[str, Any]) -> Request:
    """Return the request of a call. Raises `CallFailed` for args that no request can have."""
    request = Request(method=operation.method, path="")
    in_paths: dict[str, str] = {}
    for param in operation.params:
        if param.arg not in args:
            continue
        value = args[param.arg]
        if param.place == "path":
            in_paths[param.name] = _path_text(param, value)
        elif not is_undefined(value):
            _place(request, param, value)
    request.path = _PLACEHOLDER.sub(lambda found: in_paths.get(found[1], found[0]), operation.path)
    if operation.body is not None:
        placed = frozenset(param.arg for param in operation.params)
        request.content = content_of(operation.body, args, placed)
    return request


def _path_text(param: Param, value: Any) -> str:
    """Serialize a value for the path. Nothing that changes which path it is, is sent."""
    if param.content:
        text = percent_encoded(_content_text(param, value))
    else:
        text = "" if is_undefined(value) else in_path(param.name, value, param.style, explode=bool(param.explode))
    if text in ("", ".", ".."):
        message = f"{param.arg} is part of the path of the request, so it cannot be empty, `.` or `..`"
        raise CallFailed(FailureKind.INVALID_CALL, "invalid_path_value", message)
    return text


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
            encode_cookie = _cookie_text if param.style == "cookie" else percent_encoded
            found = (
                [(percent_encoded(param.name), percent_encoded(_content_text(param, value)))]
                if param.content
                else pairs(param.name, value, param.style, explode=param.explode, encode=encode_cookie)
            )
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
    if is_json(param.content):
        return [percent_encoded(text_of_json(value))]
    if isinstance(value, str):
        return [reserved_kept(value)] if value else []
    return [f"{name}={text}" for name, text in pairs("", value)]


def _content_text(param: Param, value: Any) -> str:
    return text_of_json(value) if is_json(param.content) else text_of(value)


def _cookie_text(text: str) -> str:
    """Return a value of a cookie as it is: RFC 6265 allows neither separators nor blanks in it."""
    if re.search(r'[\s;,"\\]', text):
        return percent_encoded(text)
    return text


def _sendable(arg: str, text: str) -> str:
    if _UNSENDABLE.search(text):
        message = f"{arg} is sent as a header, which has no line breaks and no control characters"
        raise CallFailed(FailureKind.INVALID_CALL, "invalid_header_value", message)
    return text.strip(" \t")
