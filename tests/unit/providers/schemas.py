"""Strategies: schemas of args with all features of real ones, and values that match a schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMES = st.sampled_from(["a", "b", "k", ""])
"""Few names, so that the branches of a choice share fields."""

TEXTS = st.sampled_from(["", "a", "ab", "null", "1", '{"a":1}', "x-y", "2026-01-01"])
NUMBERS = st.sampled_from([0, 1, -3, 7, 2.5, 0.1, 1e16])


def some(**keywords: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Any of the keywords."""
    return st.fixed_dictionaries({}, optional=keywords)


ABOUT = some(
    description=st.just("About it."),
    default=st.just(1),
    examples=st.just([1]),
    title=st.just("It"),
    nullable=st.just(1),
)
SCALARS = st.one_of(
    st.tuples(
        st.just({"type": "string"}),
        some(minLength=st.just(1), maxLength=st.just(2), pattern=st.sampled_from(["^a", "^(?=a)", "[0-9]"]),
             format=st.sampled_from(["date", "binary"])),
    ),
    st.tuples(
        st.sampled_from([{"type": "integer"}, {"type": "number"}]),
        some(minimum=NUMBERS, exclusiveMaximum=NUMBERS, multipleOf=st.sampled_from([1, 0.5])),
    ),
    st.tuples(st.sampled_from([{"type": "boolean"}, {"type": "null"}, {"type": ["string", "null"]},
                               {"type": ["integer", "string"], "minLength": 1}])),
    st.tuples(
        st.builds(
            lambda values: {"enum": values}, st.lists(st.one_of(TEXTS, NUMBERS, st.none()), min_size=1, max_size=3)
        ),
        some(type=st.just("string")),
    ),
    st.tuples(st.builds(lambda value: {"const": value}, st.one_of(TEXTS, st.booleans(), st.just({"a": 1})))),
    st.tuples(st.sampled_from([{}, {"$ref": "#/$defs/Leaf"}, {"$ref": "#/$defs/Leaf", "minLength": 1}])),
).map(lambda parts: {name: value for part in parts for name, value in part.items()})  # fmt: skip


def objects(inside: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Schemas of objects."""
    return st.builds(
        lambda properties, required, others: {
            "type": "object", "properties": properties, "required": sorted(required), **others
        },
        st.dictionaries(NAMES, st.one_of(inside, st.just({"$ref": "#/$defs/Tree"})), max_size=3),
        st.sets(NAMES, max_size=2),
        some(
            additionalProperties=st.one_of(st.just(False), st.just(False), st.just(True), inside),
            minProperties=st.just(1),
            propertyNames=st.just({"maxLength": 1}),
            patternProperties=st.just({"^z": {"type": "string"}}),
            allOf=st.sampled_from([
                [{"required": ["a"]}], [{"properties": {"b": {"type": "string"}}}], [{"$ref": "#/$defs/Tree"}],
            ]),
            dependentSchemas=st.just({"a": {"properties": {"b": {"type": "string"}}, "required": ["b"]}}),
            dependentRequired=st.just({"a": ["k"]}),
            unevaluatedProperties=st.just(False),
            **{"not": st.just({"required": ["k"]})},
        ),
    )  # fmt: skip


def deeper(inside: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Schemas that contain others."""
    choices = st.lists(inside, min_size=1, max_size=3)
    return st.one_of(
        objects(inside),
        objects(inside),
        st.builds(lambda items, others: {"type": "array", "items": items, **others}, inside,
                  some(minItems=st.just(1), maxItems=st.just(2), uniqueItems=st.just(True))),
        st.sampled_from([
            {"type": "array"}, {"type": "array", "prefixItems": [{"type": "string"}]}, {"type": "object"}
        ]),
        st.builds(lambda branches: {"anyOf": branches}, choices),
        st.builds(lambda branches: {"oneOf": branches}, choices),
        st.builds(lambda one: {"allOf": [one]}, inside),
    )  # fmt: skip


LEAVES = st.builds(lambda schema, about: {**schema, **about}, SCALARS, ABOUT)
PARTS = st.one_of(LEAVES, deeper(st.one_of(LEAVES, deeper(LEAVES))))


@st.composite
def args_schemas(draw: st.DrawFn) -> dict[str, Any]:
    """Schemas of args with a recursive definition."""
    tree = {
        "type": "object",
        "properties": {"a": draw(PARTS), "b": {"$ref": "#/$defs/Tree"}},
        "additionalProperties": False,
    }
    schema = draw(objects(PARTS))
    return {**schema, "$defs": {"Leaf": draw(SCALARS.filter(lambda leaf: "$ref" not in leaf)), "Tree": tree}}


def values(schema: Any, whole: Mapping[str, Any], depth: int = 4) -> st.SearchStrategy[Any]:
    """Values that mostly match a schema; use a validator to select valid ones."""
    if not isinstance(schema, dict) or not schema.keys() - {"description", "title", "default", "examples", "nullable"}:
        return st.one_of(TEXTS, NUMBERS, st.none(), st.just({"a": [None]}))
    if "$ref" in schema:
        target = whole if schema["$ref"] == "#" else whole["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        return values(target, whole, depth - 1)
    if "const" in schema or "enum" in schema:
        return st.sampled_from([schema["const"]] if "const" in schema else schema["enum"])
    for keyword in ("anyOf", "oneOf", "allOf"):
        if keyword in schema and "type" not in schema:
            return st.one_of([values(branch, whole, depth) for branch in schema[keyword]])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return st.one_of([_of_kind(kind, schema, whole, depth) for kind in kinds])


def _of_kind(kind: str, schema: dict[str, Any], whole: Mapping[str, Any], depth: int) -> st.SearchStrategy[Any]:
    if kind == "object":
        return st.deferred(lambda: _objects(schema, whole, depth))
    if kind == "array":
        size = 0 if depth <= 0 else 2
        return st.deferred(
            lambda: st.lists(
                values(schema.get("items", True), whole, depth - 1), max_size=max(size, schema.get("minItems", 0))
            )
        )
    plain: dict[str, st.SearchStrategy[Any]] = {
        "string": TEXTS, "integer": st.sampled_from([0, 1, -3, 7, 2.0]), "number": NUMBERS, "boolean": st.booleans()
    }  # fmt: skip
    return plain.get(kind, st.none())


def _objects(schema: dict[str, Any], whole: Mapping[str, Any], depth: int) -> st.SearchStrategy[Any]:
    properties = schema.get("properties", {})
    required = set(schema.get("required", ()))
    optional = {name for name in properties if name not in required} if depth > 0 else set[str]()

    def field(name: str) -> st.SearchStrategy[Any]:
        return st.deferred(lambda: values(properties.get(name, True), whole, depth - 1))

    extra = schema.get("additionalProperties", True)
    others = (
        st.just({})
        if extra is False
        else st.dictionaries(st.sampled_from(["y", "z"]), values(extra, whole, 0), max_size=1)
    )
    return st.builds(
        lambda known, more: {**more, **known},
        st.fixed_dictionaries(
            {name: field(name) for name in required}, optional={name: field(name) for name in optional}
        ),
        others,
    )
