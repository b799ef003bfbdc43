"""Bodies of requests: one media type of those that an operation takes, flat where its schema is a plain object."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.importers.openapi.files import Fault, Part
from toolgen.compiler.importers.openapi.parameters import anything, collection, listed_parameters
from toolgen.spec.media_types import FORM, MULTIPART, essence, is_json, is_text

if TYPE_CHECKING:
    from toolgen.compiler.importers.openapi.schemas import Schemas

_ANNOTATIONS: Final = frozenset({
    *("title", "description", "example", "examples", "externalDocs", "xml", "deprecated", "default", "discriminator"),
    *("nullable", "readOnly", "writeOnly", "$comment", "$schema"),
})  # fmt: skip
_OBJECT: Final = frozenset({"type", "properties", "required", "additionalProperties", "allOf", "$ref"})
_MAX_PARTS: Final = 100


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a flat body. `encoding` are the keys of `encoding` in a spec."""

    schema: Any
    required: bool
    encoding: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RequestBody:
    """The body. Exactly one of `fields` and `whole`, a schema, is not None; `extra` is what other fields may be."""

    media_type: str
    required: bool
    fields: dict[str, Field] | None
    whole: Any = None
    extra: Any = False
    base64: bool = False
    description: str = ""


@dataclass(frozen=True, slots=True)
class _Media:
    """One media type of a body."""

    media_type: str
    schema: Part
    encoding: dict[str, dict[str, Any]]


def request_body(operation: Part, schemas: Schemas, consumes: list[str], *, is_swagger: bool) -> RequestBody | None:
    """Return the body of an operation; None where it has none. Raises `Fault`."""
    if is_swagger:
        return _swagger_body(operation, schemas, consumes)
    body = operation.child("requestBody")
    if body is None or body.value is None:
        return None
    content = body.mapping("content")
    if content is None:
        raise Fault("the body has no `content`", body)
    offered = [_media(name, media) for name, media in content.mappings()]
    if not offered and body.flag("required") is True:
        raise Fault("the body is required, and has no media type", body)
    if not offered:
        return None
    media = min(offered, key=_preference)
    return _body(media, schemas, required=body.flag("required") is True, description=body.text("description"))


def _preference(media: _Media) -> int:
    """JSON, then forms, then text, then anything else, which is sent as it is given."""
    name = essence(media.media_type)
    if is_json(name):
        return 0 if name == "application/json" else 1
    return {MULTIPART: 2, FORM: 3}.get(name, 4 if is_text(name) else 5)


def _media(name: str, part: Part) -> _Media:
    encoding: dict[str, dict[str, Any]] = {}
    listed = part.mapping("encoding")
    for field_name, each in listed.mappings() if listed is not None else []:
        spec: dict[str, Any] = {}
        if each.text("contentType"):
            spec["content_type"] = each.text("contentType")
        if each.text("style"):
            spec["style"] = each.text("style")
        for key, written in (("explode", "explode"), ("allow_reserved", "allowReserved")):
            flag = each.flag(written)
            if flag is not None and (flag or key == "explode"):
                spec[key] = flag
        if "explode" in spec and "style" not in spec:
            spec["style"] = "form"
        encoding[field_name] = spec
    return _Media(name, part.raw("schema") or anything(part), encoding)


def _body(media: _Media, schemas: Schemas, *, required: bool, description: str) -> RequestBody:
    name = essence(media.media_type)
    if not is_json(name) and name not in (FORM, MULTIPART):
        return _raw(media, required=required, description=description)
    flat = _Flat()
    if not _flatten(media.schema, schemas, flat, set()) or not flat.fields:
        whole = schemas.written(media.schema, "args")
        if whole in (True, {}) and name in (FORM, MULTIPART):
            whole = {"type": "object"}
        return RequestBody(media.media_type, required, None, whole, description=description)
    is_form = name in (FORM, MULTIPART)
    fields: dict[str, Field] = {}
    for wire, part in flat.fields.items():
        encoding = dict(media.encoding.get(wire, {})) if is_form else {}
        schema = schemas.written(part, "args")
        if name == MULTIPART and (found := _as_base64(part, schema)) is not None:
            schema, encoding["base64"] = found, True
        fields[wire] = Field(schema, wire in flat.required, encoding)
    extra = False if flat.extra is None else schemas.written(flat.extra, "args")
    for wire in sorted(flat.required - fields.keys() - flat.hidden):  # published documents have them
        fields[wire] = Field(True if extra is False else extra, True, {})
    return RequestBody(media.media_type, required, fields, extra=extra, description=description)


def _raw(media: _Media, *, required: bool, description: str) -> RequestBody:
    """A body that is neither JSON nor a form: text as it is, or base64 text of its bytes."""
    if is_text(media.media_type) and not _is_binary(media.schema):
        return RequestBody(media.media_type, required, None, {"type": "string"}, description=description)
    schema = {"type": "string", "contentEncoding": "base64"}
    return RequestBody(media.media_type, required, None, schema, base64=True, description=description)


@dataclass
class _Flat:
    """The fields of an object and of all that it is composed of. `extra` is None where no others may be."""

    fields: dict[str, Part] = field(default_factory=dict[str, Part])
    required: set[str] = field(default_factory=set[str])
    hidden: set[str] = field(default_factory=set[str])
    extra: Part | None = None


def _flatten(part: Part, schemas: Schemas, flat: _Flat, seen: set[Any]) -> bool:
    """Collect the fields of a plain object; returns False for a schema that says more than which fields there are."""
    return all(_flatten_one(each, schemas, flat, seen) for each in schemas.layers(part))


def _flatten_one(schema: Part, schemas: Schemas, flat: _Flat, seen: set[Any]) -> bool:
    value = schema.value
    if not isinstance(value, dict) or schema.location in seen or len(seen) > _MAX_PARTS:
        return False
    seen.add(schema.location)
    if any(key not in _OBJECT | _ANNOTATIONS and not key.startswith("x-") for key in value):
        return False
    if value.get("type", "object") not in ("object", ["object"], ["object", "null"], ["null", "object"]):
        return False
    if value.get("nullable") is True and "properties" not in value:
        return False
    properties = schema.mapping("properties")
    for name in properties.value if properties is not None else ():
        found = properties.raw(name) if properties is not None else None
        if found is not None and schemas.is_hidden(found, "args"):
            flat.hidden.add(name)
            continue
        if found is None:
            continue
        if name in flat.fields and flat.fields[name].location != found.location:
            return False
        flat.fields[name] = found
    required = value.get("required")
    flat.required |= {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    extra = schema.raw("additionalProperties")
    if extra is not None and extra.value is not False:
        flat.extra = extra
    return all(_flatten(member, schemas, flat, seen) for member in schema.raw_list("allOf"))


def _is_binary(part: Part) -> bool:
    value = part.followed().value
    if not isinstance(value, dict):
        return value is True
    is_bytes = value.get("format") == "binary" or ("contentMediaType" in value and "contentEncoding" not in value)
    return (
        value.get("type") == "file" or is_bytes or not value.keys() & {"type", "properties", "allOf", "oneOf", "anyOf"}
    )


def _as_base64(part: Part, schema: Any) -> Any:
    """The schema of a field, or a list, of bytes as base64 text; None for any other."""
    value = part.followed().value
    if not isinstance(value, dict) or not isinstance(schema, dict):
        return None
    described = {"description": schema["description"]} if "description" in schema else {}
    if value.get("type") == "array":
        items = part.followed().raw("items")
        if items is None or not isinstance(items.value, dict) or not items.value or not _is_binary(items):
            return None
        return {"type": "array", "items": {"type": "string", "contentEncoding": "base64"}, **described}
    if not value or not _is_binary(part) or not value.keys() & {"type", "format", "contentMediaType"}:
        return None
    return {"type": "string", "contentEncoding": "base64", **described}


def _swagger_body(operation: Part, schemas: Schemas, consumes: list[str]) -> RequestBody | None:
    """The body of Swagger 2.0: one `body` parameter, or all `formData` ones."""
    form: dict[str, Part] = {}
    for part in listed_parameters(operation):
        if part.value.get("in") == "body":
            schema = part.raw("schema") or anything(part)
            offered = [_Media(name, schema, {}) for name in consumes or ["application/json"]]
            required = part.flag("required") is True
            return _body(
                min(offered, key=_preference), schemas, required=required, description=part.text("description")
            )
        name = part.value.get("name")
        if part.value.get("in") == "formData" and isinstance(name, str) and name:
            form[name] = part
    if not form:
        return None
    has_file = any(part.value.get("type") == "file" for part in form.values())
    media_type = MULTIPART if has_file or (MULTIPART in consumes and FORM not in consumes) else FORM
    fields: dict[str, Field] = {}
    for name, part in form.items():
        written, encoding = schemas.written(part, "args"), collection(part, "query")
        encoding = {"style": "form", **encoding} if encoding else {}
        if part.value.get("type") == "file":
            described = {"description": part.text("description")} if part.text("description") else {}
            written, encoding = {"type": "string", "contentEncoding": "base64", **described}, {"base64": True}
        fields[name] = Field(written, part.flag("required") is True, encoding)
    return RequestBody(media_type, any(each.required for each in fields.values()), fields)
