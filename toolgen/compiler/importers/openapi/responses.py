"""Responses of operations: one schema of what they answer on success, and what their errors mean."""

from __future__ import annotations

from enum import Enum
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.importers.openapi.files import ReadOnce
from toolgen.compiler.importers.openapi.media import is_bytes
from toolgen.schema.json_values import canonical
from toolgen.spec.http import ERROR_LISTS, ERROR_PATHS, is_json, is_text

if TYPE_CHECKING:
    from toolgen.compiler.importers.openapi.files import Part
    from toolgen.compiler.importers.openapi.schemas import Schemas

BINARY: Final = {
    "type": "object",
    "description": "Binary content, stored as an artifact.",
    "properties": {
        "media_type": {"type": "string"},
        "size": {"type": "integer", "description": "In bytes."},
        "artifact": {"type": ["string", "null"], "description": "The reference of the artifact, if it was stored."},
    },
    "required": ["media_type", "size", "artifact"],
    "additionalProperties": False,
}
"""The result of an operation that answers with bytes; `toolgen/execute/http/responses.py` makes it."""

_EMPTY: Final = ("204", "205", "304")
_NULL: Final = {"type": "null"}
_MAX_ERRORS, _LONGEST_ERROR = 12, 200


class Responses:
    """What the responses of operations say. Many operations may refer to the same ones."""

    def __init__(self, schemas: Schemas, *, is_swagger: bool) -> None:
        self._hints = ReadOnce(_error_hints)
        self._tell_fields = ReadOnce(_tell_fields)
        self._results = {
            form: ReadOnce(partial(_result, schemas=schemas, form=form, is_swagger=is_swagger)) for form in _Form
        }

    def schema(self, operation: Part, method: str, produces: list[str]) -> Any:
        """Return the schema of what an operation answers on success; True where nothing certain is said.

        `produces` are the media types of an operation of Swagger 2.0. Raises `Fault`.
        """
        if method == "HEAD":
            return _NULL
        listed = operation.mapping("responses")
        return self._results[_form(produces)].of(listed) if listed is not None else True

    def hints(self, operation: Part) -> dict[str, str]:
        """Return what the errors of an operation mean, by status, where that is more than the name of the status.

        Raises `Fault`.
        """
        listed = operation.mapping("responses")
        return dict(self._hints.of(listed)) if listed is not None else {}

    def tell_fields(self, operation: Part) -> bool:
        """Return whether the error of a rejected request says which values are wrong, as FastAPI's 422 does.

        Raises `Fault`.
        """
        listed = operation.mapping("responses")
        return listed is not None and self._tell_fields.of(listed)


class _Form(Enum):
    JSON, TEXT, BYTES = range(3)


def _form(media_types: list[str]) -> _Form:
    if not media_types or any(map(is_json, media_types)):
        return _Form.JSON
    return _Form.TEXT if any(map(is_text, media_types)) else _Form.BYTES


def _result(responses: Part, schemas: Schemas, form: _Form, *, is_swagger: bool) -> Any:
    found = dict(responses.mappings())
    successes = {status: part for status, part in found.items() if status[:1] == "2"}
    if not successes and "default" in found:
        successes = {"default": found["default"]}
    made: list[Any] = []
    for status, part in successes.items():
        schema = _NULL if status in _EMPTY else _of_response(part, schemas, form, is_swagger=is_swagger)
        if schema is None:  # nothing is said of its content
            schema = True if len(successes) == 1 else _NULL
        made.append(schema)
    return _any_of(made) if made else True


def _error_hints(responses: Part) -> dict[str, str]:
    hints: dict[str, str] = {}
    for status, part in responses.mappings():
        key = status.upper()
        text = part.text("description").split("\n")[0].strip()
        is_error = key[:1] in ("4", "5") and (key[1:].isdigit() or key[1:] == "XX") and len(key) == 3
        if is_error and text and len(text) <= _LONGEST_ERROR and _is_telling(status, text):
            hints[key] = text
    return dict(list(hints.items())[:_MAX_ERRORS])


def _tell_fields(responses: Part) -> bool:
    rejections = [part for status, part in responses.mappings() if status in ("400", "422")]
    return any(_tells_fields(media) for part in rejections for media in _media_of(part))


def _media_of(response: Part) -> list[Part]:
    content = response.mapping("content")
    return [response] if content is None else [media for name, media in content.mappings() if is_json(name)]


def _tells_fields(media: Part) -> bool:
    properties = media.at("schema", "properties")
    for name in ERROR_LISTS if properties is not None else ():
        fields = properties.at(name, "items", "properties") if properties is not None else None
        if fields is not None and isinstance(fields.value, dict) and fields.value.keys() & {*ERROR_PATHS}:
            return True
    return False


def _is_telling(status: str, text: str) -> bool:
    words = text.rstrip(".!").lower()
    try:
        phrase = HTTPStatus(int(status)).phrase.lower()
    except ValueError:
        phrase = ""
    usual = {status, phrase, f"{status} {phrase}", "error", "bad request", "unexpected error", "validation failed"}
    usual |= {"validation error", "validation exception"}
    return words not in usual and len(words.split()) > 1


def _of_response(part: Part, schemas: Schemas, form: _Form, *, is_swagger: bool) -> Any:
    """The schema of one response; None where it has none."""
    if is_swagger:
        schema = part.raw("schema")
        if schema is None:
            return None
        if isinstance(schema.value, dict) and schema.value.get("type") == "file":
            return BINARY
        if form is not _Form.JSON:
            return {"type": "string"} if form is _Form.TEXT else BINARY
        return schemas.written(schema, "result")
    content = part.mapping("content")
    offered = content.mappings() if content is not None else []
    made: list[Any] = []
    described: set[bytes] = set()
    for name, media in sorted(offered, key=lambda each: not is_json(each[0])):
        schema = media.raw("schema")
        written = True if schema is None else schemas.written(schema, "result")
        if is_json(name):
            made.append(BINARY if schema is not None and is_bytes(schema) and "*" in name else written)
        elif canonical(written) in described:
            continue  # the same in another form: JSON is asked for
        else:
            made.append({"type": "string"} if is_text(name) else BINARY)
        if is_json(name) and schema is not None:
            described.add(canonical(written))
    return _any_of(made) if made else None


def _any_of(schemas: list[Any]) -> Any:
    """The schema of values that fit any of these."""
    different = [*{canonical(each): each for each in schemas}.values()]
    if True in different or {} in different:
        return True
    return different[0] if len(different) == 1 else {"anyOf": different}
