"""Bodies of requests: flat where the schema is a plain object, in a media type in which the bytes are certain."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.importers.openapi.files import Fault, Part
from toolgen.compiler.importers.openapi.media import (
    all_binary,
    binary_types,
    concrete,
    core,
    is_bytes,
    is_open,
    keeps_scalar,
    kind_of,
    may_be_bytes,
    says_nothing,
    split_types,
    text_type,
    types_of,
)
from toolgen.compiler.importers.openapi.parameters import anything, collection, listed_parameters
from toolgen.schema.keywords import required_of, subschemas
from toolgen.spec.http import FORM, MULTIPART, essence

if TYPE_CHECKING:
    from toolgen.compiler.importers.openapi.schemas import Schemas

_ANNOTATIONS: Final = frozenset({
    *("title", "description", "example", "examples", "externalDocs", "xml", "deprecated", "default", "discriminator"),
    *("nullable", "readOnly", "writeOnly", "$comment", "$schema"),
})  # fmt: skip
_OBJECT: Final = frozenset({"type", "properties", "required", "additionalProperties", "allOf", "$ref"})
_MAX_PARTS: Final = 100

BASE64: Final[dict[str, Any]] = {"type": "string", "contentEncoding": "base64"}
"""The arg of what is sent as bytes."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a flat body. `encoding` are its keys in a spec; `media_types` those of which an arg chooses one."""

    schema: Any
    required: bool
    encoding: dict[str, Any]
    media_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestBody:
    """The body. Exactly one of `fields` and `whole`, a schema, is not None; `extra` is what other fields may be.

    `media_types` are those of which an arg chooses one.
    """

    media_type: str
    required: bool
    fields: dict[str, Field] | None
    whole: Any = None
    extra: Any = False
    base64: bool = False
    description: str = ""
    media_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Media:
    """One media type of a body."""

    media_type: str
    schema: Part
    encoding: dict[str, dict[str, Any]]


def request_body(
    item: Part, operation: Part, schemas: Schemas, consumes: list[str], *, is_swagger: bool
) -> RequestBody | None:
    """Return the body of an operation; None where it has none. Raises `Fault`."""
    if is_swagger:
        return _swagger_body(item, operation, schemas, consumes)
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
    return _chosen(offered, schemas, required=body.flag("required") is True, description=body.text("description"))


def _chosen(offered: list[_Media], schemas: Schemas, *, required: bool, description: str) -> RequestBody:
    """Return the body in the first media type in which its bytes are certain. Raises `Fault` where there is none.

    JSON comes first, then forms, then text, then bytes, which are sent as they are given.
    """
    sure: dict[str, RequestBody] = {}
    made: dict[str, list[_Media]] = {}
    fault: Fault | None = None
    for media in sorted(offered, key=lambda each: essence(each.media_type) != "application/json"):
        try:
            kind = kind_of(media.media_type, media.schema)
            if kind not in sure and kind in ("json", "form", "multipart"):
                sure[kind] = _body(media, schemas, required=required, description=description)
            elif kind in ("text", "bytes"):
                made.setdefault(kind, []).append(media)
        except Fault as error:
            fault = fault or error
    for kind in ("json", "multipart", "form"):
        if kind in sure:
            return sure[kind]
    for kind in ("text", "bytes"):
        if kind in made:
            return _raw(made[kind], schemas, required=required, description=description, is_bytes=kind == "bytes")
    assert fault is not None
    raise fault


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
        headers = each.mapping("headers")
        for header, described in headers.mappings() if headers is not None else []:
            if described.flag("required") is True and header.lower() != "content-type":
                raise Fault(f"the part `{field_name}` needs the header `{header}`, which no spec has", described)
        encoding[field_name] = spec
    return _Media(name, part.raw("schema") or anything(part), encoding)


def _body(media: _Media, schemas: Schemas, *, required: bool, description: str) -> RequestBody:
    """A body of JSON, or a form. Raises `Fault`."""
    name = essence(media.media_type)
    is_form = name in (FORM, MULTIPART)
    flat = _Flat()
    is_plain = _flatten(media.schema, schemas, flat, set())
    sent = {wire: part for wire, part in flat.fields.items() if wire not in flat.hidden}
    if not is_plain or not sent:
        whole = schemas.written(media.schema, "args")
        if is_form and (media.encoding or _has_bytes(schemas.with_definitions({"allOf": [whole]}, "args"))):
            raise Fault("the form is no plain object, so its parts have no certain encoding", media.schema)
        if whole in (True, {}) and is_form:
            whole = {"type": "object"}
        return RequestBody(media.media_type, required, None, whole, description=description)
    fields: dict[str, Field] = {}
    for wire, part in sent.items():
        encoding = media.encoding.get(wire, {}) if is_form else {}
        fields[wire] = _field(wire, part, encoding, schemas, media, is_required=wire in flat.required)
    extra = False if flat.extra is None else schemas.written(flat.extra, "args")
    for wire in sorted(flat.required - fields.keys() - flat.hidden):  # published documents have them
        fields[wire] = Field(True if extra is False else extra, True, {})
    return RequestBody(media.media_type, required, fields, extra=extra, description=description)


def _field(
    wire: str, part: Part, encoding: dict[str, Any], schemas: Schemas, media: _Media, *, is_required: bool
) -> Field:
    """One field: of a form, with the media type that its bytes are in. Raises `Fault`."""
    name = essence(media.media_type)
    schema = schemas.written(part, "args")
    if name not in (FORM, MULTIPART):
        return Field(schema, is_required, {})
    kept: dict[str, Any] = {key: value for key, value in encoding.items() if key != "content_type"}
    declared = split_types(encoding.get("content_type", ""))
    items = core(part).raw("items") if types_of(part) == {"array"} else None
    one = items if items is not None else part
    untyped = says_nothing(one) and not schemas.is_old and name == MULTIPART and not declared
    if is_bytes(one) or (may_be_bytes(one) and (all_binary(declared) or untyped)):
        described = (
            {"description": schema["description"]} if isinstance(schema, dict) and "description" in schema else {}
        )
        spec: dict[str, Any] = {"base64": True}
        types = binary_types(declared, one)
        if name == MULTIPART and is_open(types):
            spec["content_type"] = types[0]
            chosen = Field(BASE64 | described, is_required, spec, tuple(types))
        else:
            chosen = Field(BASE64 | described, is_required, spec | ({"content_type": types[0]} if types else {}))
        return replace(chosen, schema={"type": "array", "items": BASE64, **described}) if items is not None else chosen
    content_type = text_type(declared, part, f"`{wire}`")
    return Field(schema, is_required, ({"content_type": content_type} if content_type else {}) | kept)


def _has_bytes(schema: Any) -> bool:
    return any(
        part.get("format") == "binary" or ("contentMediaType" in part and "contentEncoding" not in part)
        for _, part in subschemas(schema)
    )


def _raw(offered: list[_Media], schemas: Schemas, *, required: bool, description: str, is_bytes: bool) -> RequestBody:
    """A body that is neither JSON nor a form: text as it is, or base64 text of its bytes."""
    types = list(dict.fromkeys(concrete(each.media_type, is_bytes=is_bytes) for each in offered))
    media_type = next((each for each in types if "*" not in each), types[0])
    named = ", ".join(f"`{each}`" for each in types)
    schema: Any = BASE64
    if not is_bytes and all(keeps_scalar(each.media_type, each.schema) for each in offered):
        made = [schemas.written(each.schema, "args") for each in offered]
        schema = made[0] if all(each == made[0] for each in made) else {"anyOf": made}
    elif not is_bytes:
        schema = {"type": "string"}
    text = description or (f"Base64 text of the bytes to send: {named}." if is_bytes else f"The text to send: {named}.")
    choices = tuple(types) if is_open(types) else ()
    return RequestBody(
        media_type, required, None, schema, base64=is_bytes, description=text, media_types=choices
    )  # fmt: skip


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
    flat.required |= required_of(value).keys()
    extra = schema.raw("additionalProperties")
    if extra is not None and extra.value is not False:
        flat.extra = extra
    return all(_flatten(member, schemas, flat, seen) for member in schema.raw_list("allOf"))


def _swagger_body(item: Part, operation: Part, schemas: Schemas, consumes: list[str]) -> RequestBody | None:
    """The body of Swagger 2.0: one `body` parameter, or all `formData` ones."""
    form: dict[str, Part] = {}
    for part in (*listed_parameters(operation), *listed_parameters(item)):
        if part.value.get("in") == "body":
            schema = part.raw("schema") or anything(part)
            offered = [_Media(name, schema, {}) for name in consumes or ["application/json"]]
            required = part.flag("required") is True
            return _chosen(offered, schemas, required=required, description=part.text("description"))
        name = part.value.get("name")
        if part.value.get("in") == "formData" and isinstance(name, str) and name:
            form.setdefault(name, part)
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
            written, encoding = BASE64 | described, {"base64": True}
        fields[name] = Field(written, part.flag("required") is True, encoding)
    return RequestBody(media_type, any(each.required for each in fields.values()), fields)
