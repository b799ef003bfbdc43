"""Random JSON Schemas: toolsets of them, with every keyword of 2020-12 and draft-07 that constrains a value.

References point to types of the spec file, to definitions beside the schema, and to the schema itself. None leads back
to itself without entering the value: such a schema would be undecidable.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from hypothesis import assume
from hypothesis import strategies as st

from toolgen.compiler.resolve.names import attribute
from toolgen.schema.bounds import excess

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hypothesis.strategies import DrawFn

    from toolgen.runtime.base.packages import Side

_NAMES: Final = [
    *("a", "b", "c", "from", "x y", "n/~", "", "ü", "A", "1", "model_config", "Literal", "a%25b", "__proto__"),
    *("$ref", "$id", "type", "enum", "properties", "default", "self", "copy", "json", "Node", "field\n\"'\\"),
    *("metadata", "schema", "fields", "root", "definitions", "cls", "data", "return", "required", "model_fields"),
    *("a-b", "_uniqueItems", "validation_alias", "extra", "args", "class", "model_fields_set", "orderId", "items"),
]
NAMES: Final = st.sampled_from(_NAMES)
"""Property names, all distinct in Python: words of JSON Schema, Python, pydantic's models and core schemas, and names
in generated code.
"""

KEYS: Final = NAMES | st.sampled_from([attribute(name) for name in _NAMES] + ["a b", "a__b", "uniqueItems_", "id"])
"""Keys of objects: those names, their Python names, and names that would have the same Python name."""

TEXTS: Final = st.sampled_from(["", "a", "ab", "abc", "1", "true", "x y", "é", "\U0001f600", "a" * 9])
WHOLE: Final = st.sampled_from([0, 1, -1, 2, 3, 10, -0.0, 1.0, 2.0, 2**53 + 1, 2**63, -(2**64), 10**30, 1e16, 1e300])
FRACTIONS: Final = st.sampled_from([0.5, -0.5, 1.5, 0.1, 0.30000000000000004, 1e-7, 5e-324, 1.7976931348623157e308])
SCALARS: Final = st.none() | st.booleans() | WHOLE | FRACTIONS | TEXTS
JSON: Final = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=2),
    max_leaves=4,
)
TYPES: Final = ("string", "integer", "number", "boolean", "null", "array", "object")
PATTERNS: Final = ("^a", "b$", "^[a-z]+$", ".", "^$", r"\d", "x|y")
DIALECTS: Final = {
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
    "draft-07": "http://json-schema.org/draft-07/schema#",
}


@dataclass(frozen=True)
class ToolSide:
    """One side of a tool: its ident, the side, and its schema."""

    ident: str
    side: Side
    schema: Any


@dataclass(frozen=True)
class Toolset:
    """A toolset file: its dialect, its types, and the schemas of both sides of each tool."""

    dialect: str
    types: Mapping[str, Any]
    sides: tuple[ToolSide, ...]

    def spec(self) -> dict[str, Any]:
        """Return the spec file."""
        tools: dict[str, Any] = {}
        for each in self.sides:
            tool = tools.setdefault(each.ident.rpartition(".")[2], {"description": "A tool."})
            tool[each.side] = written(each.schema)
        types = {name: written(schema) for name, schema in self.types.items()}
        return {"toolgen": 1, "toolset": "made.up", "dialect": self.dialect, "types": types, "tools": tools}

    def document(self, schema: Any) -> Any:
        """Return the schema for other validators, with the types beside it where its references expect them."""
        if not isinstance(schema, dict):
            return schema
        types = {"types": {name: _at_home(each, f"#/types/{name}") for name, each in self.types.items()}}
        return {"$schema": DIALECTS[self.dialect], **schema, **types}


def _at_home(node: Any, pointer: str) -> Any:
    """Return a schema whose self-references lead to its present position."""
    if isinstance(node, dict):
        moved = {key: _at_home(value, pointer) for key, value in node.items()}
        return {**moved, "$ref": pointer} if node.get("$ref") == "#" else moved
    return [_at_home(item, pointer) for item in node] if isinstance(node, list) else node


def written(schema: Any) -> Any:
    """Return the schema as written into a spec, marked as JSON Schema, since otherwise it could be a short form."""
    return {"$comment": "JSON Schema", **schema} if isinstance(schema, dict) else schema


@dataclass(frozen=True)
class _Scope:
    """The position of a schema: what it may refer to anywhere, and what only since a value was entered (`inside`)."""

    dialect: str
    anywhere: tuple[str, ...]
    inside: tuple[str, ...]
    depth: int

    @property
    def has_tuples(self) -> bool:
        """Return whether the dialect is the newer one."""
        return self.dialect == "2020-12"

    def within(self) -> _Scope:
        """Return the scope of a schema for a part of the value."""
        return replace(self, anywhere=self.inside, depth=self.depth - 1)

    def beside(self) -> _Scope:
        """Return the scope of a schema for the same value."""
        return replace(self, depth=self.depth - 1)


@st.composite
def toolsets(draw: DrawFn, *, tools: int = 8, depth: int = 2) -> Toolset:
    """Draw a toolset whose schemas nest up to `depth` levels, or more through references."""
    dialect = draw(st.sampled_from(sorted(DIALECTS)))
    names = ["Node", "Leaf", "Thing"][: draw(st.integers(0, 3))]
    references = tuple(f"#/types/{name}" for name in names)
    types: dict[str, Any] = {}
    for number, name in enumerate(names):
        types[name] = draw(_schema(_Scope(dialect, references[number + 1 :], (*references, "#"), depth)))
    sides: list[ToolSide] = []
    for number in range(draw(st.integers(1, tools))):
        scope = _Scope(dialect, references, references, depth)
        sides.append(ToolSide(f"made.up.tool_{number}", "args", draw(_whole(scope, as_object=True))))
        sides.append(ToolSide(f"made.up.tool_{number}", "result", draw(_whole(scope, as_object=False))))
    toolset = Toolset(dialect, types, tuple(sides))
    assume(not any(excess(toolset.document(side.schema)) for side in sides))  # a spec with those is refused
    return toolset


@st.composite
def _whole(draw: DrawFn, scope: _Scope, *, as_object: bool) -> Any:
    """Draw a schema with its own definitions and references into itself."""
    keyword = "$defs" if scope.has_tuples else "definitions"
    names = draw(st.lists(st.sampled_from(["D", "d e", "f/~%"]), unique=True, max_size=2))
    own = {name: f"#/{keyword}/{name.replace('~', '~0').replace('/', '~1').replace('%', '%25')}" for name in names}
    own = {name: reference.replace(" ", "%20") for name, reference in own.items()}
    is_typed = draw(st.integers(0, 3)) > 0
    itself = ("#",) if is_typed or not as_object else ()
    scope = replace(scope, inside=(*scope.inside, *itself, *own.values()))
    definitions = {}
    for number, name in enumerate(names):
        later = tuple(own[other] for other in names[number + 1 :])
        definitions[name] = draw(_schema(replace(scope, anywhere=(*scope.anywhere, *later), depth=scope.depth - 1)))
    scope = replace(scope, anywhere=(*scope.anywhere, *own.values()))
    made: Any = draw(st.sampled_from([_wide, _object if as_object else _schema]))
    schema = draw(made(scope))
    # In draft-07 siblings of a reference are ignored; the root is then another schema, which nothing may refer to.
    if as_object and scope.anywhere and (scope.has_tuples or not is_typed) and draw(st.integers(0, 5)) == 5:
        schema = {"$ref": draw(st.sampled_from(scope.anywhere))}
    if as_object:
        schema = {key: value for key, value in schema.items() if key != "type"}
        schema |= {"type": "object"} if is_typed else {}
    return {**schema, keyword: definitions} if definitions and isinstance(schema, dict) else schema


@st.composite
def _wide(draw: DrawFn, scope: _Scope) -> Any:
    """Draw an object of many small schemas: each is tried with every value of the object."""
    small: Any = st.sampled_from([_leaf, _variants, _variants, _map, _several])
    names = draw(st.lists(NAMES, unique=True, min_size=3, max_size=6))
    inner = replace(scope.within(), depth=1)
    return {"type": "object", "properties": {name: draw(draw(small)(inner)) for name in names}}


@st.composite
def _map(draw: DrawFn, scope: _Scope) -> Any:
    """Draw an object without named fields."""
    schema = {"type": "object", "additionalProperties": draw(_leaf(scope.within()))}
    patterns = st.dictionaries(st.sampled_from(PATTERNS), _leaf(scope.within()), min_size=1, max_size=2)
    return {**schema, "patternProperties": draw(patterns)} if draw(st.booleans()) else schema


@st.composite
def _schema(draw: DrawFn, scope: _Scope) -> Any:
    if scope.depth <= 0:
        return draw(_leaf(scope))
    made: Any = draw(st.sampled_from([_leaf, _array, _object, _map, _several, _combined, _variants]))
    schema = draw(made(scope))
    if isinstance(schema, dict) and draw(st.integers(0, 9)) == 9:
        notes = {"default": st.lists(JSON, max_size=1) | _DEFAULTS, "examples": st.lists(JSON, max_size=1)}
        keyword = draw(st.sampled_from(sorted(notes)))
        schema = {**schema, keyword: draw(notes[keyword])}
    return schema


@st.composite
def _leaf(draw: DrawFn, scope: _Scope) -> Any:
    match draw(st.integers(0, 9)):
        case 0:
            return draw(st.sampled_from([True, False, {}, {}]))
        case 1:
            return {"const": draw(JSON)}
        case 2:
            return {"enum": draw(st.lists(JSON, min_size=1, max_size=3))}
        case 3:
            values = draw(st.sampled_from([TEXTS, WHOLE, st.booleans(), TEXTS | st.none(), WHOLE | st.booleans()]))
            return {"enum": draw(st.lists(values, min_size=1, max_size=3))}
        case 4 | 5 | 6 if scope.anywhere:
            return {"$ref": draw(st.sampled_from(scope.anywhere)), **draw(_beside_reference())}
        case _:
            kind = draw(st.sampled_from(TYPES))
            return {"type": kind, **draw(_bounds(kind))}


@st.composite
def _beside_reference(draw: DrawFn) -> Any:
    notes: list[Any] = [{"description": "Note."}, {"default": {}}, {"default": [{}]}, {"default": {"a": {}}}]
    return draw(st.sampled_from([{}, *notes, {"type": "object"}, {"minLength": 1}, {"const": 1}]))


@st.composite
def _bounds(draw: DrawFn, kind: str) -> Any:
    """Draw optional keywords for values of a kind."""
    small = st.integers(0, 3)
    number = st.sampled_from([0, 1, -1, 0.5, 1.0, 10, 2**53])
    known: dict[str, dict[str, Any]] = {
        "string": {"minLength": small, "maxLength": small, "pattern": st.sampled_from(PATTERNS), "format": _FORMATS},
        "integer": {"minimum": number, "exclusiveMaximum": number, "multipleOf": _DIVISORS},
        "number": {"exclusiveMinimum": number, "maximum": number, "multipleOf": _DIVISORS},
        "array": {"minItems": small, "maxItems": small, "uniqueItems": st.booleans()},
        "object": {"minProperties": small, "maxProperties": small},
    }
    keywords = known.get(kind, {})
    chosen = draw(st.lists(st.sampled_from(sorted(keywords)), unique=True, max_size=2)) if keywords else []
    return {keyword: draw(keywords[keyword]) for keyword in chosen}


_DEFAULTS: Final = st.sampled_from([{}, [{}], {"a": {}}, {"metadata": {}}]) | SCALARS
"""Defaults that are to be completed by other defaults."""

_FORMATS: Final = st.sampled_from(["date", "email", "uuid", "date-time", "binary", "unheard-of"])
_DIVISORS: Final = st.sampled_from([1, 2, 0.5, 0.1, 3.0, 1e-7])


@st.composite
def _array(draw: DrawFn, scope: _Scope) -> Any:
    schema: dict[str, Any] = {"type": "array"} if draw(st.integers(0, 5)) else {}
    schema |= draw(_bounds("array"))
    inner = _schema(scope.within())
    places = draw(st.lists(inner, min_size=1, max_size=2)) if draw(st.integers(0, 3)) == 3 else None
    if places:
        schema["prefixItems" if scope.has_tuples else "items"] = places
    if draw(st.integers(0, 3)):
        schema["additionalItems" if places and not scope.has_tuples else "items"] = draw(inner)
    if draw(st.integers(0, 7)) == 7:
        schema["contains"] = draw(inner)
        if scope.has_tuples and draw(st.booleans()):
            schema |= {"minContains": draw(st.integers(0, 2)), "maxContains": 2}
    if scope.has_tuples and draw(st.integers(0, 15)) == 15:
        schema["unevaluatedItems"] = draw(inner)
    return schema


@st.composite
def _object(draw: DrawFn, scope: _Scope) -> Any:
    schema: dict[str, Any] = {"type": "object"} if draw(st.integers(0, 5)) else {}
    inner = _schema(scope.within())
    names = draw(st.lists(NAMES, unique=True, max_size=4)) if draw(st.integers(0, 2)) else []
    if names:
        schema["properties"] = {name: draw(inner) for name in names}
        schema["required"] = draw(st.lists(st.sampled_from(names), unique=True, max_size=2))
    match draw(st.integers(0, 5)):
        case 0 | 1:
            schema["additionalProperties"] = False
        case 2:
            schema["additionalProperties"] = draw(inner)
        case _:
            pass
    rare = draw(st.lists(st.sampled_from(sorted(_RARELY)), unique=True, max_size=2)) if draw(st.booleans()) else []
    for keyword in rare:
        value = draw(_RARELY[keyword](scope))
        if keyword in _RENAMED and not scope.has_tuples:
            schema["dependencies"] = {**schema.get("dependencies", {}), **value}
        elif keyword != "unevaluatedProperties" or scope.has_tuples:
            schema[keyword] = value
    return schema


_RENAMED: Final = ("dependentRequired", "dependentSchemas")
_RARELY: Final[dict[str, Any]] = {
    "patternProperties": lambda scope: st.dictionaries(
        st.sampled_from(PATTERNS), _schema(scope.within()), min_size=1, max_size=2
    ),
    "propertyNames": lambda _scope: st.sampled_from([{"maxLength": 1}, {"pattern": "^[a-z]"}, {"enum": ["a", "b"]}]),
    "required": lambda _scope: st.lists(NAMES, unique=True, min_size=1, max_size=2),
    "minProperties": lambda _scope: st.integers(0, 2),
    "maxProperties": lambda _scope: st.integers(0, 3),
    "dependentRequired": lambda _scope: st.dictionaries(
        NAMES, st.lists(NAMES, unique=True, max_size=2), min_size=1, max_size=1
    ),
    "dependentSchemas": lambda scope: st.dictionaries(NAMES, _schema(scope.beside()), min_size=1, max_size=1),
    "unevaluatedProperties": lambda scope: _schema(scope.within()),
}


@st.composite
def _several(draw: DrawFn, scope: _Scope) -> Any:
    """Draw a schema of several types, with keywords for any of them."""
    kinds = draw(st.lists(st.sampled_from(TYPES), unique=True, min_size=1, max_size=3))
    schema: dict[str, Any] = {"type": kinds}
    for kind in kinds:
        schema |= draw(_bounds(kind))
    if "object" in kinds:
        schema = {**draw(_object(scope)), **schema}
    if "array" in kinds:
        schema = {**draw(_array(scope)), **schema}
    return schema


@st.composite
def _variants(draw: DrawFn, scope: _Scope) -> Any:
    """Draw one of several similar schemas: scalars, and objects and arrays of scalars."""
    scalar = st.sampled_from(_ALIKE)
    fields = st.dictionaries(st.sampled_from(["a", "b"]), scalar, min_size=1)
    item = draw(st.sampled_from(["scalar", "object", "array", "map", "any"]))
    options: list[Any] = []
    for _ in range(draw(st.integers(2, 3))):
        match item if item != "any" else draw(st.sampled_from(["scalar", "object", "array", "map"])):
            case "object":
                properties = draw(fields)
                closed = draw(st.sampled_from([{}, {"additionalProperties": False}]))
                options.append({"type": "object", "properties": properties, "required": ["a"], **closed})
            case "array":
                options.append({"type": "array", "items": draw(scalar)})
            case "map":
                options.append({"type": "object", "additionalProperties": draw(scalar)})
            case _:
                options.append(draw(scalar))
    if scope.anywhere and draw(st.integers(0, 1)) == 1:
        options.append({"$ref": draw(st.sampled_from(scope.anywhere))})
    return {draw(st.sampled_from(["anyOf", "oneOf"])): options}


_ALIKE: Final[tuple[Any, ...]] = (
    *({"const": value} for value in (0, 1, True, False, "a", 1.5, None)),
    *({"enum": values} for values in ([0, 1], [True, 2], ["a", "b"], [1.0, None], [False])),
    *(
        {"type": kind}
        for kind in ("string", "integer", "number", "boolean", ["boolean", "null"], ["integer", "string"])
    ),
    {"type": "integer", "minimum": 1},
    {"type": "number", "maximum": 0},
)
"""Scalars that compare equal in Python, or that a type accepts although they are of another."""


@st.composite
def _combined(draw: DrawFn, scope: _Scope) -> Any:
    """Draw a combination of schemas for one value, optionally beside its own schema."""
    inner = _schema(scope.beside())
    schema = draw(st.sampled_from([None, None, _object, _array, _leaf]))
    made = draw(schema(scope.beside())) if schema else {}
    if not isinstance(made, dict):
        made = {}
    match draw(st.sampled_from(["anyOf", "oneOf", "allOf", "anyOf", "oneOf", "not", "if", "null"])):
        case "not":
            return {**made, "not": draw(inner)}
        case "if":
            branches = draw(st.lists(st.sampled_from(["then", "else"]), unique=True, min_size=1))
            return {**made, "if": draw(inner), **{branch: draw(inner) for branch in branches}}
        case "null":
            return {**made, draw(st.sampled_from(["anyOf", "oneOf"])): [draw(inner), {"type": "null"}]}
        case keyword:
            return {**made, keyword: draw(st.lists(inner, min_size=1, max_size=3))}
