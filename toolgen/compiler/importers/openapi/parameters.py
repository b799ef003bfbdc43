"""Parameters of operations, of OpenAPI 3 and Swagger 2.0 alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from toolgen.compiler.importers.openapi.files import Fault, Part
from toolgen.compiler.importers.openapi.media import text_type
from toolgen.spec.http import CONNECTION_HEADERS, FORM, essence, is_json

PLACES: Final = ("path", "query", "header", "cookie", "querystring")
"""Where parameters are sent, in the order in which they keep their names."""

_IGNORED_HEADERS: Final = CONNECTION_HEADERS | {"accept", "content-type", "authorization"}
"""Headers that are no args: those that no parameter describes (OpenAPI 3.2, 4.12.2), and those of the client."""

_STYLES: Final = {"path": "simple", "header": "simple", "query": "form", "cookie": "form"}
_COLLECTIONS: Final = {
    "csv": ("", False),
    "ssv": ("spaceDelimited", False),
    "tsv": ("tabDelimited", False),
    "pipes": ("pipeDelimited", False),
    "multi": ("form", True),
}
"""The styles of Swagger 2.0: `collectionFormat` to style and explode."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. `schema` is what describes its values; `spec` are the keys of `params`, without defaults."""

    name: str
    place: str
    required: bool
    schema: Part
    description: str
    deprecated: bool
    spec: dict[str, Any]


def parameters(item: Part, operation: Part, *, is_swagger: bool) -> list[Parameter]:
    """Return the parameters of an operation, those of its path among them. Raises `Fault`."""
    found: dict[tuple[str, str], Parameter] = {}
    for owner in (item, operation):
        for part in listed_parameters(owner):
            made = _swagger(part) if is_swagger else _openapi(part)
            if made is not None:
                found[made.place, made.name] = made
    return list(found.values())


def listed_parameters(owner: Part) -> list[Part]:
    """Return the parameters that an operation or a path item lists, of all kinds. Raises `Fault`."""
    found = owner.items("parameters")
    for part in found:
        if not isinstance(part.value, dict):
            raise Fault("a parameter is an object", part)
    return found


def _openapi(part: Part) -> Parameter | None:
    place, name = _head(part)
    if place not in PLACES:
        raise Fault(f"`{name}` has no place: `in` is {part.value.get('in')!r}", part)
    if place == "header" and name.lower() in _IGNORED_HEADERS:
        return None
    spec: dict[str, Any] = {}
    schema = part.raw("schema")
    content = part.mapping("content")
    if schema is None and content is not None:
        offered = sorted(content.mappings(), key=lambda each: not is_json(each[0]))
        if not offered:
            raise Fault(f"the parameter `{name}` has no schema", part)
        media_type, media = offered[0]
        schema = media.raw("schema") or anything(media)
        is_form = place == "querystring" and essence(media_type) == FORM
        spec["content"] = media_type if is_form else text_type([media_type], schema, f"`{name}`") or "application/json"
        if media.raw("encoding") is not None:
            raise Fault(f"the parameter `{name}` has an `encoding`, which only bodies have here", part)
    elif place == "querystring":
        raise Fault(f"the parameter `{name}` is the whole query, so it needs a `content`", part)
    elif schema is None:
        raise Fault(f"the parameter `{name}` has no schema", part)
    else:
        spec = _style(part, place)
    required = part.flag("required") is True or place == "path"
    return Parameter(name, place, required, schema, part.text("description"), part.flag("deprecated") is True, spec)


def _style(part: Part, place: str) -> dict[str, Any]:
    """Styles as they differ from the default of the place."""
    style = part.text("style") or _STYLES.get(place, "")
    explode = part.flag("explode")
    spec: dict[str, Any] = {} if style == _STYLES.get(place, "") else {"style": style}
    if explode is not None and explode is not (style in ("form", "cookie", "deepObject")):
        spec["explode"] = explode
    if part.flag("allowReserved"):
        spec["allow_reserved"] = True
    return spec


def _swagger(part: Part) -> Parameter | None:
    """A parameter of Swagger 2.0 is its own schema; `body` and `formData` are parts of the body."""
    place, name = _head(part)
    if place in ("body", "formData") or (place == "header" and name.lower() in _IGNORED_HEADERS):
        return None
    if place not in ("path", "query", "header"):
        raise Fault(f"`{name}` has no place: `in` is {part.value.get('in')!r}", part)
    if "type" not in part.value and part.raw("schema") is None:
        raise Fault(f"the parameter `{name}` has no type", part)
    required = part.flag("required") is True or place == "path"
    schema = part.raw("schema") or part
    return Parameter(name, place, required, schema, part.text("description"), False, collection(part, place))


def collection(part: Part, place: str) -> dict[str, Any]:
    """The style of a list of Swagger 2.0, whose default is values with commas."""
    if part.value.get("type") != "array":
        return {}
    items, written = part.raw("items"), part.text("collectionFormat")
    if items is not None and isinstance(items.value, dict) and items.value.get("type") == "array":
        raise Fault("a list of lists has a `collectionFormat` for each, and no style expresses several", part)
    if written == "multi" and place != "query":
        raise Fault("`multi` is for queries and forms: a path or header has a value once", part)
    style, explode = _COLLECTIONS.get(part.text("collectionFormat") or "csv", ("", False))
    if place == "query":
        return {**({"style": style} if style not in ("", "form") else {}), **({} if explode else {"explode": False})}
    return {"style": style} if style not in ("", "form") else {}


def _head(part: Part) -> tuple[str, str]:
    name, place = part.value.get("name"), part.value.get("in")
    if place == "querystring" and not name:
        name = "query"
    if not isinstance(name, str) or not name:
        raise Fault("a parameter has no name", part)
    return place if isinstance(place, str) else "", name


def anything(part: Part) -> Part:
    """A schema of any JSON, at the place of what has none."""
    return Part(part.files, part.file, part.path, True)
