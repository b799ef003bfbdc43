"""Random values for a JSON Schema: many valid ones, and many that are nearly valid."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from hypothesis import strategies as st

from tests.properties.schemas import FRACTIONS, JSON, KEYS, TEXTS, WHOLE
from toolgen.compiler.resolve.names import attribute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import DrawFn

_DEEPEST: Final = 5
_BY_TYPE: Final[dict[str, Any]] = {
    "string": TEXTS,
    "integer": WHOLE,
    "number": WHOLE | FRACTIONS,
    "boolean": st.booleans(),
    "null": st.none(),
}
_SIMPLE: Final = st.sampled_from([True, False, 0, 1, 1.0, 2, -1, "a", None])


@st.composite
def values(draw: DrawFn, document: Any) -> Any:
    """Draw a value made for a schema and damaged up to twice. Whether it is valid is left to a validator."""
    value = draw(_Maker(document).value(document))
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2]))):
        value = draw(damaged(value))
    return value


class _Maker:
    """Draws values for the schemas of one document. It considers the most important keywords and ignores the rest."""

    def __init__(self, document: Any) -> None:
        self._document = document

    def value(self, schema: Any, depth: int = 0) -> Any:
        """Return a strategy for values that are probably valid."""
        return st.deferred(lambda: _value(self, schema, depth))

    def target(self, reference: str) -> Any:
        """Return the target of a reference."""
        node = self._document
        for token in reference.split("/")[1:]:
            node = node[unquote(token).replace("~1", "/").replace("~0", "~")]
        return node

    def parts(self, schema: Any, choice: int, depth: int = 0) -> Iterator[dict[str, Any]]:
        """Return the schema and those that apply beside it; of alternatives, the one selected by `choice`."""
        if not isinstance(schema, dict) or depth > _DEEPEST:
            return
        yield schema
        beside = [self.target(schema["$ref"])] if isinstance(schema.get("$ref"), str) else []
        beside += schema.get("allOf", [])
        for keyword in ("anyOf", "oneOf"):
            options = schema.get(keyword, [])
            beside += [options[choice % len(options)]] if options else []
        beside += [schema[keyword] for keyword in ("if", "then") if keyword in schema and "then" in schema]
        for each in beside:
            yield from self.parts(each, choice, depth + 1)


@st.composite
def _value(draw: DrawFn, maker: _Maker, schema: Any, depth: int) -> Any:
    parts = list(maker.parts(schema, draw(st.integers(0, 2))))
    for part in parts:
        if "const" in part:
            return copy.deepcopy(part["const"])
        if "enum" in part:
            return copy.deepcopy(draw(st.sampled_from(part["enum"])))
    kinds = [kind for part in parts for kind in _listed(part.get("type"))]
    if not kinds:
        kinds = ["object"] if any("properties" in part for part in parts) else []
        kinds += ["array"] if any("items" in part or "prefixItems" in part for part in parts) else []
    kind = draw(st.sampled_from(kinds)) if kinds else "any"
    if kind == "object":
        return draw(_object(maker, parts, depth))
    if kind == "array":
        return draw(_array(maker, parts, depth))
    return draw(_bounded(_BY_TYPE.get(kind, JSON), parts))


def _bounded(kinds: Any, parts: list[dict[str, Any]]) -> Any:
    """Draw scalars, within the bounds of the schema."""
    bounds = [
        part[keyword] for part in parts for keyword in ("minimum", "maximum", "exclusiveMinimum") if keyword in part
    ]
    return kinds | st.sampled_from(bounds) if bounds else kinds


@st.composite
def _object(draw: DrawFn, maker: _Maker, parts: list[dict[str, Any]], depth: int) -> Any:
    named = {name: schema for part in parts for name, schema in part.get("properties", {}).items()}
    required = [name for part in parts for name in part.get("required", [])]
    patterns = [pair for part in parts for pair in part.get("patternProperties", {}).items()]
    others = next((part["additionalProperties"] for part in parts if "additionalProperties" in part), True)

    def schema_of(name: str) -> Any:
        matching = (schema for pattern, schema in patterns if re.search(pattern, name))
        return named[name] if name in named else next(matching, others)

    made: dict[str, Any] = {}
    for name in dict.fromkeys([*named, *required]):
        if name in required or (depth < _DEEPEST and draw(st.booleans())):
            made[name] = draw(maker.value(schema_of(name), depth + 1)) if depth < _DEEPEST else None
    if (others is not False or patterns) and depth < _DEEPEST and draw(st.integers(0, 2)) > bool(named):
        name = draw(KEYS | st.sampled_from([attribute(each) for each in named])) if named else draw(KEYS)
        made.setdefault(name, draw(maker.value(schema_of(name), depth + 1)))
    return made


@st.composite
def _array(draw: DrawFn, maker: _Maker, parts: list[dict[str, Any]], depth: int) -> Any:
    if depth >= _DEEPEST:
        return []
    places: list[Any] = []
    rest: Any = True
    for part in parts:
        items = part.get("items", True)
        places = items if isinstance(items, list) else part.get("prefixItems", places)
        rest = part.get("additionalItems", True) if isinstance(items, list) else items
    least = max([part.get("minItems", 0) for part in parts])
    size = draw(st.integers(min(least, 3), 3))
    return [draw(maker.value(places[at] if at < len(places) else rest, depth + 1)) for at in range(size)]


@st.composite
def damaged(draw: DrawFn, value: Any) -> Any:
    """Draw the value with one change: a similar value, another type, an added or removed key."""
    places = list(_places(value, ()))
    path = ("", *draw(st.sampled_from(places)))
    holder: Any = {"": copy.deepcopy(value)}
    at = holder
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = draw(_changed(at[path[-1]]))
    return holder[""]


@st.composite
def _changed(draw: DrawFn, value: Any) -> Any:
    match draw(st.integers(0, 3)), value:
        case ((0 | 1), dict()) if value:
            name = draw(st.sampled_from(sorted(value)))
            rest = {key: each for key, each in value.items() if key != name}
            python = {attribute(name): value[name]}
            return draw(
                st.sampled_from([rest, {**rest, f"{name}x": value[name]}, {**value, name: None}, rest | python])
            )
        case ((0 | 1), dict()):
            return {draw(KEYS): draw(JSON)}
        case ((0 | 1), list()):
            return draw(st.sampled_from([value[1:], [*value, *value], [*value, None], [*value[:1], *value]]))
        case ((0 | 1 | 2), (bool() | int() | float())):
            return draw(st.sampled_from(_neighbours(value)))
        case ((0 | 1), str()):
            return draw(st.sampled_from([value[1:], f"{value}a", f"{value} ", len(value), value == "true"]))
        case 2, dict() if value and draw(st.integers(0, 1)) == 1:
            return {**value, draw(st.sampled_from(sorted(value))): draw(_SIMPLE)}
        case 2, dict():
            return {**value, draw(KEYS): draw(JSON)}
        case _:
            return draw(JSON)


def _neighbours(value: float) -> list[Any]:
    """Return similar numbers, and values that Python considers equal."""
    found: list[Any] = [str(value), not value, value + 1, value - 1, -value, [value]]
    found += [bool(value)] if value in (0, 1) else []
    if isinstance(value, bool):
        return [*found, int(value), float(value)]
    if abs(value) < 2**1000:
        found += [float(value), int(value), value + 0.5]
    return found


def _places(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Return the path of every part of a value."""
    yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield from _places(inner, (*path, key))


def _listed(kinds: Any) -> list[str]:
    return kinds if isinstance(kinds, list) else [kinds] if isinstance(kinds, str) else []
