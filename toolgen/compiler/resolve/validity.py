"""Checks that schemas are valid, and that their defaults and examples fit.

jsonschema-rs decides, as at run time; jsonschema explains its errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import quote, urljoin

import jsonschema_rs

from toolgen.compiler.diagnostics.diagnostic import nearest, shown
from toolgen.compiler.resolve import keywords
from toolgen.compiler.resolve.keywords import respelled_schema
from toolgen.schema.bounds import BACKTRACK_LIMIT, MAX_PARTS, Bounds, Reach, excess
from toolgen.schema.evaluations import MAX_EVALUATIONS, Listing, evaluations, listing
from toolgen.schema.json_values import is_number
from toolgen.schema.keywords import REFERENCES, SCHEMA, SCHEMA_LIST, SCHEMA_MAP, subschemas
from toolgen.schema.references import parsed, pointer_of
from toolgen.spec.text import cut

if TYPE_CHECKING:
    from jsonschema import ValidationError

    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.resolve.schemas import Bundle


# Names of parts of a schema, `$id` and anchors, and references to ambiguous names.
#
# Published schemas often repeat an `$id` that is not referenced, which is harmless. A reference to one of several
# different parts is not: validators resolve it differently.

_Name: TypeAlias = tuple[str, str]
"""The URI of a resource, and an anchor in it; without an anchor it refers to the resource."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A subschema, the URI of its resource, and whether that is the root's resource."""

    pointer: list[str | int]
    schema: dict[str, Any]
    base: str
    in_root: bool


def joined(base: str, reference: str) -> str:
    """Return the absolute URI of a reference in a resource; the reference itself if it is not a URI."""
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def resource_of(schema: dict[str, Any], base: str, dialect: str) -> str:
    """Return the URI of a schema's resource, without a fragment: its `$id`, or that of the enclosing resource."""
    own = keywords.resource_name(schema, dialect).partition("#")[0]
    return joined(base, own) if own else base


def ambiguous_references(root: Any, dialect: str) -> Iterator[tuple[list[str | int], str]]:
    """Return the references to names of several different parts: their places and texts.

    `#/…` in the root's resource refers to the root, even if other parts have its name.
    """
    parts = list(_parts(root, dialect))
    named: dict[_Name, Any] = {}
    repeated: set[_Name] = set()
    for part in parts:
        for name in _names(part, dialect):
            if named.setdefault(name, part.schema) != part.schema:
                repeated.add(name)
    if not repeated:
        return
    for part in parts:
        for keyword in REFERENCES:
            reference = part.schema.get(keyword)
            if isinstance(reference, str) and _is_ambiguous(keyword, reference, part, repeated):
                yield [*part.pointer, keyword], reference


def _is_ambiguous(keyword: str, reference: str, part: _Part, repeated: Set[_Name]) -> bool:
    found = parsed(reference)
    if found is None:
        return False
    target, anchor = found.resource, found.anchor
    resource = joined(part.base, target) if target else part.base
    if keyword == "$dynamicRef" and any(name == anchor for _, name in repeated if name):
        return True
    if anchor and (resource, anchor) in repeated:
        return True
    return (resource, "") in repeated and (bool(target) or not part.in_root)


def _parts(root: Any, dialect: str) -> Iterator[_Part]:
    found: dict[tuple[str | int, ...], _Part] = {}
    for pointer, schema in subschemas(root):
        place = tuple(pointer)
        around = found.get(place[:-1]) or found.get(place[:-2])  # below a keyword, or below a name or an index there
        base = resource_of(schema, around.base if around else "", dialect)
        in_root = around is None or (around.in_root and not keywords.resource_name(schema, dialect))
        found[place] = part = _Part(pointer, schema, base, in_root)
        yield part


def _names(part: _Part, dialect: str) -> Iterator[_Name]:
    own = part.schema.get(keywords.id_keyword(dialect))
    if not part.pointer or keywords.resource_name(part.schema, dialect):
        yield part.base, ""
    anchors = [part.schema.get(keyword) for keyword in keywords.ANCHORS]
    if isinstance(own, str):
        anchors.append(own.partition("#")[2])
    for anchor in anchors:
        if isinstance(anchor, str) and anchor and not anchor.startswith("/"):
            yield part.base, anchor


# Messages for metaschema errors of schemas, in the terms of the spec language.

_SHOWN: Final = 120
_TYPES: Final = ("string", "integer", "number", "boolean", "object", "array", "null")
_WANTED: Final = {
    "array": "a list",
    "boolean": "`true` or `false`",
    "integer": "an integer",
    "number": "a number",
    "object": "a mapping",
    "string": "a text",
}


def message_of(error: ValidationError, path: Sequence[str | int]) -> str:
    """Describe the error at a place of a schema."""
    where = f"`{path[-1]}`" if path else "the schema"
    keyword = _keyword(path)
    if keyword == "type":
        return f"`{cut(_first_unknown(error.instance), _SHOWN)}` is not a JSON type"
    if _wants_schema(error, path):
        return f"{where} must be a schema, but is {shown(error.instance)}"
    wanted = _WANTED.get(str(error.validator_value))
    if error.validator == "type" and wanted:
        return f"{where} must be {wanted}, but is {shown(error.instance)}"
    if keyword == "pattern":
        return f"no engine supports the pattern {cut(str(error.instance), _SHOWN)!r}"
    return f"{where} is not valid JSON Schema: {cut(error.message, _SHOWN)}"


def fix_of(error: ValidationError, path: Sequence[str | int]) -> str:
    """Return the fix, or an empty text."""
    keyword = _keyword(path)
    if keyword == "type":
        known = nearest(_first_unknown(error.instance), _TYPES)
        return known or "if this is a field called `type`, write `type!:` in the short form"
    if keyword == "items" and isinstance(error.instance, list):
        return "list positions in `prefixItems`, or write `dialect: draft-07` if the schema is of an older draft"
    if _wants_schema(error, path):
        return respelled_schema(error.instance)
    if error.validator_value == "string" and isinstance(error.instance, bool | int | float):
        return "put it in quotes"
    if keyword == "required" and isinstance(error.instance, bool):
        return (
            "a field is required unless its name ends in `?`, or if it is in the list `required` next to `properties`"
        )
    if keyword in ("exclusiveMinimum", "exclusiveMaximum") and isinstance(error.instance, bool):
        return "write the bound itself, or `dialect: draft-04` if the schema is of that draft"
    return ""


def _keyword(path: Sequence[str | int]) -> str:
    """Return the keyword at the end of a path; empty if that is another name, such as a field."""
    is_name = len(path) > 1 and path[-2] in SCHEMA_MAP
    return "" if is_name or not path else str(path[-1])


def _wants_schema(error: ValidationError, path: Sequence[str | int]) -> bool:
    if error.validator == "anyOf":
        return _keyword(path) in SCHEMA
    is_schema = len(path) > 1 and path[-2] in SCHEMA_MAP | SCHEMA_LIST
    return error.validator == "type" and (
        error.validator_value == ["object", "boolean"] or (error.validator_value == "object" and is_schema)
    )


def _first_unknown(kinds: Any) -> str:
    """Return the first invalid type in a value of `type`."""
    each = kinds if isinstance(kinds, list) else [kinds]
    return str(next((kind for kind in each if kind not in _TYPES), kinds))


_UNUSABLE: Final = (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError)
"""The exceptions of jsonschema-rs for a schema that it cannot compile."""

_TOO_LONG: Final = f"it takes more than {MAX_EVALUATIONS:,} steps to check"


def check_schema(bundle: Bundle, span: Span, sink: Diagnostics, *, most_parts: float = MAX_PARTS) -> bool:
    """Report why a schema cannot be compiled; return whether it can."""
    if too_much := excess(bundle.json, most_parts=most_parts):
        if too_much.is_costly:
            fix = "refer to each schema once: merge repeated parts"
            sink.report("TG216", span, f"checking a value could take too long: {too_much.reason}", fix=fix)
        else:
            sink.report("TG213", span, f"the schema cannot be compiled: {too_much.reason}")
        return False
    try:
        _compiled(bundle.json, Bounds(bundle.json))
    except _UNUSABLE as failure:
        _explain(bundle, span, failure, sink)
        return False
    return bundle.named < 2 or _check_references(bundle, span, sink)


def _check_references(bundle: Bundle, span: Span, sink: Diagnostics) -> bool:
    """Report ambiguous references; return whether there are none."""
    ambiguous = list(ambiguous_references(bundle.json, bundle.dialect))
    for pointer, reference in ambiguous:
        message = f"`{cut(reference, _SHOWN)}` is ambiguous: different parts of this schema have that name"
        fix = "rename all but one of them: types that are used together share one document"
        sink.report("TG211", bundle.span(pointer, span), message, fix=fix)
    return not ambiguous


def violations(schema: Any, value: Any) -> list[tuple[list[str | int], str]]:
    """Return where and how a value violates a schema: all places, or the first if they could be too many."""
    bounds = Bounds(schema)
    if not bounds.are_foreseen and evaluations(Reach(bounds.graph), value) > MAX_EVALUATIONS:
        return [([], _TOO_LONG)]
    validator = _compiled(schema, bounds)
    can_list = listing(bounds.graph, value)
    if can_list is Listing.NONE:
        return [] if validator.is_valid(value) else [([], "it fits none of the alternatives of its schema")]
    errors = list(validator.iter_errors(value)) if can_list is Listing.ALL else _first_error(validator, value)
    return [(list(error.instance_path), cut(error.message, _SHOWN)) for error in errors]


def _first_error(validator: jsonschema_rs.Validator, value: Any) -> list[jsonschema_rs.ValidationError]:
    try:
        validator.validate(value)
    except jsonschema_rs.ValidationError as error:
        return [error]
    return []


def _compiled(
    schema: Any, bounds: Bounds, *, registry: jsonschema_rs.Registry | None = None, assert_formats: bool = False
) -> jsonschema_rs.Validator:
    options = jsonschema_rs.FancyRegexOptions(backtrack_limit=BACKTRACK_LIMIT, size_limit=bounds.pattern_bytes)
    return jsonschema_rs.validator_for(
        schema, registry=registry, validate_formats=assert_formats, offline=True, pattern_options=options
    )


class _Parts:
    """The parts of one schema, as validators."""

    def __init__(self, schema: Any, *, assert_formats: bool) -> None:
        self._schema = schema
        self._assert_formats = assert_formats
        self._dialect = _dialect(schema.get("$schema")) if isinstance(schema, dict) else "2020-12"

    def problem(self, part: dict[str, Any], pointer: list[str | int], value: Any) -> str:
        """Return why a value does not fit the part at a pointer; empty if it fits.

        Raises exceptions of jsonschema-rs for a part that needs the whole schema.
        """
        registry, target = None, {"$schema": keywords.DIALECTS[self._dialect], **part}
        if pointer and any(True for _ in _references(part, [])):
            place = quote(pointer_of(pointer), safe="/~")
            registry, target = self._registry, {"$ref": f"{self._base}#{place}"}
        validator = _compiled(target, self._bounds, registry=registry, assert_formats=self._assert_formats)
        if not self._bounds.are_foreseen and evaluations(self._reach, value, part) > MAX_EVALUATIONS:
            return _TOO_LONG
        return "" if validator.is_valid(value) else _first_error(validator, value)[0].message

    @cached_property
    def _bounds(self) -> Bounds:
        return Bounds(self._schema)

    @cached_property
    def _reach(self) -> Reach:
        return Reach(self._bounds.graph)

    @cached_property
    def _base(self) -> str:
        own = self._schema.get("$id")
        return own.partition("#")[0] if isinstance(own, str) and "://" in own else "toolgen://schema"

    @cached_property
    def _registry(self) -> jsonschema_rs.Registry:
        return jsonschema_rs.Registry([(self._base, self._schema)], draft=_DRAFTS[self._dialect])


def check_defaults(bundle: Bundle, span: Span, sink: Diagnostics) -> None:
    """Report defaults that do not fit their schemas."""
    asserted = bundle.formats != "annotate"
    parts = _Parts(bundle.json, assert_formats=asserted)
    for pointer, schema in subschemas(bundle.json):
        if "default" not in schema or _fits_fast(schema, default := schema["default"], asserted):
            continue
        try:
            problem = parts.problem(schema, pointer, default)
        except _UNUSABLE:
            continue  # its references can only be resolved in the whole schema
        if problem:
            sink.report(
                "TG208",
                bundle.span([*pointer, "default"], span),
                f"the default does not fit its schema: {cut(problem, _SHOWN)}",
                fix="correct it, or remove it",
            )


def _explain(bundle: Bundle, span: Span, failure: Exception, sink: Diagnostics) -> None:
    schema = bundle.json if isinstance(bundle.json, dict) else {}
    declared = schema.get("$schema")
    if isinstance(declared, str) and keywords.dialect_of(declared) is None:
        sink.report(
            "TG202",
            bundle.span(["$schema"], span),
            f"`{cut(declared, _SHOWN)}` is not a draft that toolgen supports",
            fix=f"use one of {', '.join(keywords.DIALECTS.values())}",
        )
        return
    errors = _meta_errors(bundle.json, keywords.DIALECTS[_dialect(declared)])
    for error in errors:
        path = list(error.absolute_path)
        sink.report("TG202", bundle.span(path, span), message_of(error, path), fix=fix_of(error, path))
    if not errors:
        path = list(getattr(failure, "instance_path", ()))
        reason = str(failure).split("\n")[0]
        if path and path[-1] == "pattern":
            reason = f"no engine supports the pattern {cut(str(getattr(failure, 'instance', '')), _SHOWN)!r}"
        elif "retriev" in reason or "Pointer" in reason or "anchor" in reason.lower():
            reason = reason.partition(" is not present in a registry")[0]
            sink.report(
                "TG204",
                _reference_span(bundle, reason, span),
                f"a reference has no target: {cut(reason, _SHOWN)}",
                fix="a `$ref` must refer to its own schema or to `#/types/Name`; nothing is fetched",
            )
            return
        sink.report("TG213", bundle.span(path, span), f"the schema cannot be compiled: {cut(reason, _SHOWN)}")


def _meta_errors(schema: Any, metaschema: str) -> list[ValidationError]:
    """Return the errors of a schema under the metaschema of a draft, by place; none if it is too deep to walk."""
    from jsonschema.validators import validator_for

    cls = validator_for({"$schema": metaschema})
    try:
        return sorted(cls(cls.META_SCHEMA).iter_errors(schema), key=lambda error: list(map(str, error.absolute_path)))
    except RecursionError:
        return []


def _reference_span(bundle: Bundle, reason: str, span: Span) -> Span:
    """Return the span of the first `$ref` in the message of the validator."""
    for pointer, reference in _references(bundle.json, []):
        if reference.lstrip("#") and reference.lstrip("#").rstrip("/") in reason:
            return bundle.span(pointer, span)
    return span


def _references(value: Any, path: list[str | int]) -> Iterator[tuple[list[str | int], str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in REFERENCES and isinstance(inner, str):
                yield [*path, key], inner
            yield from _references(inner, [*path, key])
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _references(inner, [*path, index])


_PLAIN: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}
_CHECKED_PLAINLY: Final = {"type", "default", "description", "title", "format", "enum", "minimum", "maximum"}


def _fits_fast(schema: dict[str, Any], value: Any, assert_formats: bool) -> bool:
    """The common cases without a validator: a scalar of its type, with no keywords but `enum`, `minimum`, `maximum`.

    False where a validator must decide.
    """
    if not schema.keys() <= _CHECKED_PLAINLY or (assert_formats and "format" in schema):
        return False
    if type(value) not in _PLAIN.get(str(schema.get("type")), ()):
        return False
    allowed = schema.get("enum")
    if "enum" in schema and not (isinstance(value, str) and isinstance(allowed, list) and value in allowed):
        return False
    if isinstance(value, str | bool):
        return "minimum" not in schema and "maximum" not in schema
    least, most = schema.get("minimum", value), schema.get("maximum", value)
    return is_number(least) and is_number(most) and least <= value <= most


_DRAFTS: Final = {
    "draft-04": jsonschema_rs.Draft4,
    "draft-06": jsonschema_rs.Draft6,
    "draft-07": jsonschema_rs.Draft7,
    "2019-09": jsonschema_rs.Draft201909,
    "2020-12": jsonschema_rs.Draft202012,
}


def _dialect(declared: Any) -> str:
    """Return the draft of a `$schema` value."""
    return (keywords.dialect_of(declared) if isinstance(declared, str) else None) or "2020-12"
