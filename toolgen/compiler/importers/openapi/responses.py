"""Responses of operations: one schema of what they answer on success, and what their errors mean."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

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


def result_schema(operation: Part, method: str, schemas: Schemas, produces: list[str], *, is_swagger: bool) -> Any:
    """Return the schema of what an operation answers on success; True where nothing certain is said. Raises `Fault`."""
    if method == "HEAD":
        return _NULL
    found = dict(_responses(operation))
    successes = {status: part for status, part in found.items() if status[:1] == "2"}
    if not successes and "default" in found:
        successes = {"default": found["default"]}
    made: list[Any] = []
    for status, part in successes.items():
        schema = _NULL if status in _EMPTY else _of_response(part, schemas, produces, is_swagger=is_swagger)
        if schema is None:  # nothing is said of its content
            schema = True if len(successes) == 1 else _NULL
        made.append(schema)
    return _any_of(made) if made else True


def error_hints(operation: Part) -> dict[str, str]:
    """Return what the errors of an operation mean, by status, where that is more than the name of the status."""
    hints: dict[str, str] = {}
    for status, part in _responses(operation):
        key = status.upper()
        text = part.text("description").split("\n")[0].strip()
        is_error = key[:1] in ("4", "5") and (key[1:].isdigit() or key[1:] == "XX") and len(key) == 3
        if is_error and text and len(text) <= _LONGEST_ERROR and _is_telling(status, text):
            hints[key] = text
    return dict(list(hints.items())[:_MAX_ERRORS])


def tells_fields(operation: Part) -> bool:
    """Return whether the error of a rejected request says which values are wrong, as FastAPI's 422 does."""
    rejections = [part for status, part in _responses(operation) if status in ("400", "422")]
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


def _responses(operation: Part) -> list[tuple[str, Part]]:
    """The responses by status. Raises `Fault`."""
    listed = operation.mapping("responses")
    return listed.mappings() if listed is not None else []


def _is_telling(status: str, text: str) -> bool:
    words = text.rstrip(".!").lower()
    try:
        phrase = HTTPStatus(int(status)).phrase.lower()
    except ValueError:
        phrase = ""
    usual = {status, phrase, f"{status} {phrase}", "error", "bad request", "unexpected error", "validation failed"}
    usual |= {"validation error", "validation exception"}
    return words not in usual and len(words.split()) > 1


def _of_response(part: Part, schemas: Schemas, produces: list[str], *, is_swagger: bool) -> Any:
    """The schema of one response; None where it has none."""
    if is_swagger:
        schema = part.raw("schema")
        if schema is None:
            return None
        if isinstance(schema.value, dict) and schema.value.get("type") == "file":
            return BINARY
        if produces and not any(is_json(each) for each in produces):
            return {"type": "string"} if any(map(is_text, produces)) else BINARY
        return schemas.written(schema, "result")
    content = part.mapping("content")
    offered = content.mappings() if content is not None else []
    made: list[Any] = []
    described: list[Any] = []
    for name, media in sorted(offered, key=lambda each: not is_json(each[0])):
        schema = media.raw("schema")
        written = True if schema is None else schemas.written(schema, "result")
        if is_json(name):
            made.append(BINARY if schema is not None and is_bytes(schema) and "*" in name else written)
        elif written in described:
            continue  # the same in another form: JSON is asked for
        else:
            made.append({"type": "string"} if is_text(name) else BINARY)
        if is_json(name) and schema is not None:
            described.append(written)
    return _any_of(made) if made else None


def _any_of(schemas: list[Any]) -> Any:
    """The schema of values that fit any of these."""
    different = [*{canonical(each): each for each in schemas}.values()]
    if True in different or {} in different:
        return True
    return different[0] if len(different) == 1 else {"anyOf": different}
