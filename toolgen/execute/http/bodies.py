"""Bodies: args as the content of a request, by its media type."""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from toolgen.contract.records import FailureKind
from toolgen.execute.http.operation import Encoding
from toolgen.execute.http.styles import is_undefined, pairs, reserved_kept, text_of, unchanged
from toolgen.runtime.base.errors import CallFailed
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.media_types import FORM, MULTIPART, charset_of, essence, is_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from toolgen.execute.http.operation import Body

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
    fields = {body.names.get(arg, arg): value for arg, value in args.items() if arg not in placed and arg not in others}
    if not fields and not body.required:
        return None
    return _whole(body, fields)


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
    return Content(data=_text(value, media_type, body.arg), media_type=media_type)


def _concrete(media_type: str, default: str) -> str:
    """Return a media type, or the default where it is a range."""
    return default if "*" in media_type else media_type


def _text(value: Any, media_type: str, name: str) -> bytes:
    """Encode a value as text, in the charset of its media type."""
    try:
        return text_of(value).encode(charset_of(media_type) or "utf-8")
    except (UnicodeEncodeError, LookupError) as error:
        message = f"{name} cannot be sent as {media_type}: {error}"
        raise CallFailed(FailureKind.INVALID_CALL, "invalid_text", message) from error


def _form(body: Body, fields: Mapping[str, Any]) -> str:
    """Encode a form. Without a style lists are repeated fields, and objects are JSON."""
    found: list[tuple[str, str]] = []
    for name, value in fields.items():
        encoding = body.encoding.get(name, _NO_ENCODING)
        encode: Callable[[str], str] = reserved_kept if encoding.allow_reserved else _form_encoded
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
        data, media_type = _text(value, declared, name), _concrete(declared, _TEXT)
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
