"""Requests: an operation and its args, as the request that is sent."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote_plus
from uuid import uuid4

from toolgen.contract.records import FailureKind
from toolgen.execute.http.operation import Encoding, Operation
from toolgen.execute.http.routes import Filled, Routes, check_field
from toolgen.execute.http.styles import (
    FORM_QUERY,
    IN_COOKIE,
    encode_allow_reserved,
    in_header,
    in_path,
    is_undefined,
    pairs,
    path_encoding,
    percent_encoded,
    text_of,
    unchanged,
)
from toolgen.runtime.base.errors import CallFailed, ToolNotFound
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.http import FORM, MULTIPART, charset_of, codec_of, essence, is_header_value, is_json, query_fields

if TYPE_CHECKING:
    from toolgen.execute.http.operation import Body, Param
    from toolgen.runtime.catalog.catalog import Catalog

# Bodies: args as the content of a request, by its media type.

_BYTES: Final = "application/octet-stream"
_TEXT: Final = "text/plain"
_NO_ARGS: Final = frozenset({""})
_MEDIA_TYPE: Final = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+(?:; *[\w-]+=[\w.+-]+)*", re.ASCII)
_NO_ENCODING: Final = Encoding()


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The bytes of a body, and its media type with all parameters."""

    data: bytes
    media_type: str


def content_of(body: Body, args: Mapping[str, Any], placed: frozenset[str]) -> Content | None:
    """Return the body of a request; None where no arg of it is given. `placed` are args that are sent elsewhere.

    Raises `CallFailed` for text that is not base64, and for a media type that is none.
    """
    others = body.other_args
    if others != _NO_ARGS:
        body = _chosen(body, args)
    if body.arg:
        return _whole(body, args[body.arg]) if body.arg in args else None
    fields = _fields(body, args, placed)
    if not fields and not body.required:
        return None
    return _whole(body, fields)


def _fields(body: Body, args: Mapping[str, Any], placed: frozenset[str]) -> dict[str, Any]:
    """Return the args that are fields of the body, by the names that they have there."""
    others = body.other_args
    return {body.names.get(arg, arg): value for arg, value in args.items() if arg not in placed and arg not in others}


def _chosen(body: Body, args: Mapping[str, Any]) -> Body:
    """Return the body with the media types and the file names that args choose."""
    encoding = {
        name: replace(
            each,
            content_type=_media_type(args, each.type_arg, each.content_type),
            file_name=text_of(args[each.name_arg]) if each.name_arg in args else "",
        )
        for name, each in body.encoding.items()
    }
    return replace(body, media_type=_media_type(args, body.type_arg, body.media_type), encoding=encoding)


def _media_type(args: Mapping[str, Any], arg: str, default: str) -> str:
    if arg not in args:
        return default
    if not _MEDIA_TYPE.fullmatch(text_of(args[arg])):
        raise CallFailed(FailureKind.INVALID_CALL, "invalid_media_type", f"{arg} is no media type, such as image/png")
    return text_of(args[arg])


def _form_names(body: Body, content: Content, args: Mapping[str, Any], placed: frozenset[str]) -> Iterator[str]:
    """Yield the names of the fields of a form: servers take them for those of the query, too (Java, PHP, Rack)."""
    kind = essence(content.media_type)
    if kind == FORM:
        yield from (name for name, _ in query_fields([content.data.decode("latin-1")]))
    value = (args.get(body.arg) if body.arg else _fields(body, args, placed)) if kind == MULTIPART else None
    for name, item in value.items() if is_object(value) else ():
        encoding = body.encoding.get(name, _NO_ENCODING)
        if encoding.style:
            style, explode = encoding.style, encoding.explode
            found = pairs(name, item, style, explode=explode, encode=unchanged, encode_name=unchanged)
            yield from (key for key, _ in found)
        else:
            yield name


def _whole(body: Body, value: Any) -> Content:
    name = essence(body.media_type)
    if body.base64:
        return Content(data=_bytes(value, body.arg), media_type=_concrete(body.media_type, _BYTES))
    if is_json(name):
        media_type = "application/json" if "*" in name else body.media_type
        return Content(data=_json(value), media_type=media_type)
    if name == FORM and is_object(value):
        return Content(data=_form(body, value).encode(), media_type=body.media_type)
    if name == MULTIPART and is_object(value):
        boundary = uuid4().hex
        data = b"".join(_parts(body, value, boundary)) + f"--{boundary}--\r\n".encode()
        return Content(data=data, media_type=f"{MULTIPART}; boundary={boundary}")
    media_type = _concrete(body.media_type, _TEXT)
    return Content(data=_encoded_text(value, media_type, body.arg), media_type=media_type)


def _concrete(media_type: str, default: str) -> str:
    """Return a media type, or the default where it is a range."""
    return default if "*" in media_type else media_type


def _encoded_text(value: Any, media_type: str, name: str) -> bytes:
    """Encode a value as text, in the charset of its media type."""
    charset = charset_of(media_type) or "utf-8"
    codec = codec_of(charset)
    if not codec:
        message = f"{name} cannot be sent as {media_type}: no text is sent in the charset {charset}"
        raise CallFailed(FailureKind.INVALID_CALL, "invalid_media_type", message, "use utf-8")
    try:
        return text_of(value).encode(codec)
    except UnicodeEncodeError as error:
        message = f"{name} cannot be sent as {media_type}: {error}"
        raise CallFailed(FailureKind.INVALID_CALL, "invalid_text", message) from error


def _form(body: Body, fields: Mapping[str, Any]) -> str:
    """Encode a form. Without a style lists are repeated fields, and objects are JSON."""
    found: list[tuple[str, str]] = []
    for name, value in fields.items():
        encoding = body.encoding.get(name, _NO_ENCODING)
        encode: Callable[[str], str] = encode_allow_reserved if encoding.allow_reserved else _form_encoded
        if encoding.base64:
            found += [(_form_encoded(name), _form_encoded(_bytes(each, name))) for each in _each(value)]
        elif encoding.style:
            found += pairs(name, value, encoding.style, explode=encoding.explode, encode=encode)
        elif is_json(encoding.content_type):
            found += pairs(name, text_of_json(value), encode=encode)
        elif is_array(value):
            found += pairs(name, value, explode=encoding.explode, encode=encode)
        elif value is not None:
            found += pairs(name, text_of(value), encode=encode)
    return "&".join(f"{name}={value}" for name, value in found)


def _each(value: Any) -> list[Any]:
    """The items of a list, or a value alone, without nulls."""
    return [each for each in (value if is_array(value) else [value]) if each is not None]


def _form_encoded(text: str | bytes) -> str:
    from urllib.parse import quote_plus

    return quote_plus(text, safe="*-._")


def _parts(body: Body, fields: Mapping[str, Any], boundary: str) -> Iterator[bytes]:
    """Encode the parts of a multipart body (RFC 7578): one for each item of a list."""
    for name, value in fields.items():
        encoding = body.encoding.get(name, _NO_ENCODING)
        as_one = is_json(encoding.content_type) if encoding.content_type else False
        if encoding.style and not encoding.base64:  # as in a query, with a part for each name and value
            found = pairs(
                name, value, encoding.style, explode=encoding.explode, encode=unchanged, encode_name=unchanged
            )
            for key, text in found:
                yield from _part(key, text, encoding, boundary)
            continue
        for item in value if is_array(value) and not as_one else [value]:
            if item is None or (not as_one and is_undefined(item) and is_array(item)):
                continue
            yield from _part(name, item, encoding, boundary)


def _part(name: str, value: Any, encoding: Encoding, boundary: str) -> Iterator[bytes]:
    declared = encoding.content_type.partition(",")[0].strip()
    disposition = f'form-data; name="{_quoted(name)}"'
    if encoding.base64:
        data, media_type = _bytes(value, name), _concrete(declared or _BYTES, _BYTES)
        disposition += f'; filename="{_quoted(encoding.file_name or name)}"'
    elif is_json(declared) or ((is_object(value) or is_array(value)) and not declared):
        data, media_type = _json(value), declared or "application/json"
    else:
        data, media_type = _encoded_text(value, declared, name), _concrete(declared, _TEXT)
    head = f"--{boundary}\r\nContent-Disposition: {disposition}\r\n"
    yield (head + (f"Content-Type: {media_type}\r\n" if media_type else "") + "\r\n").encode()
    yield data
    yield b"\r\n"


def _quoted(name: str) -> str:
    """Escape a name of a part, or of its file, as browsers do."""
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def text_of_json(value: Any) -> str:
    """Return a value as compact JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _json(value: Any) -> bytes:
    return text_of_json(value).encode("utf-8", "surrogatepass")


def _bytes(value: Any, name: str) -> bytes:
    try:
        return base64.b64decode(value if isinstance(value, str) else "", validate=True)
    except (binascii.Error, ValueError) as error:
        message = f"{name} must be base64 text of the bytes to send: {error}"
        raise CallFailed(FailureKind.INVALID_CALL, "invalid_base64", message) from error


_NOT_IN_COOKIE: Final = re.compile(r"[^\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]")
"""What no cookie-octet is (RFC 6265, section 4.1.1)."""


@dataclass(slots=True, kw_only=True)
class Request:
    """A request before credentials are added. `path` and `query` are encoded; header names are as written."""

    method: str
    path: str
    query: list[str] = field(default_factory=list[str])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    cookies: list[str] = field(default_factory=list[str])
    content: Content | None = None

    def set_header(self, name: str, text: str) -> None:
        """Set a header in place of one with its name in any case."""
        self.headers = {each: value for each, value in self.headers.items() if each.lower() != name.lower()}
        self.headers[name] = text

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
        if operation.query and request.content is not None:
            for name in _form_names(operation.body, request.content, args, placed):
                check_field(operation, name, operation.body.fields, "form")
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
    routes.check_query(operation, request.query[len(operation.query) :])
    request.path = routes.path_of(operation, filled)
    return request


def _path_text(param: Param, value: Any) -> str:
    encode = path_encoding(allow_reserved=param.allow_reserved, separators=param.separators)
    if param.content:
        return encode(_content_text(param, value))
    return in_path(param.name, value, param.style, explode=bool(param.explode), encode=encode)


def _place(request: Request, param: Param, value: Any) -> None:
    encode = encode_allow_reserved if param.allow_reserved else percent_encoded
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
                encode = partial(encode_allow_reserved, safe=IN_COOKIE) if param.allow_reserved else percent_encoded
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
        return [encode_allow_reserved(text, FORM_QUERY)] if text else []
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
    if not is_header_value(text):
        message = f"{arg} is sent as a header, which has no line breaks and no control characters"
        raise CallFailed(FailureKind.INVALID_CALL, "invalid_header_value", message)
    return text.strip(" \t")


# What a call sends, for a person who is asked about it: the method and the URL, without credentials.


def previewed(
    operations: Mapping[str, Operation], routes: Routes, base_url_of: Callable[[Operation], str]
) -> Callable[[str, Mapping[str, Any]], str]:
    """Return a function that returns the method and the URL of the request of a call.

    It raises `ToolNotFound`, and `CallFailed` for args that no request can have.
    """

    def preview(ident: str, args: Mapping[str, Any]) -> str:
        operation = operations.get(ident)
        if operation is None:
            raise ToolNotFound(ident)
        return f"{operation.method} {without_body(operation, args, routes).url(base_url_of(operation))}"

    return preview


def specified_preview(catalog: Catalog, toolset: str) -> Callable[[str, Mapping[str, Any]], str] | None:
    """Return the same for a toolset as its spec has it; None where a tool has no URL there."""
    compiled: Mapping[str, Any] = catalog.section("toolsets")[toolset]
    api: Mapping[str, Any] = compiled.get("api", {})
    found = {ident: Operation.of(catalog.definition(ident)) for ident in catalog.toolsets[toolset]}
    base_url: str = api.get("base_url", "")
    if not all(each.base_url or base_url for each in found.values()):
        return None
    routes = Routes.of_toolset(toolset, compiled, found.values())
    return previewed(found, routes, lambda operation: operation.base_url or base_url)
