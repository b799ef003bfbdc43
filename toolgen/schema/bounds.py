"""Limits of what validation costs, counted along all paths through a schema, and validators within them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgen.schema.graph import IN_PLACE_KEYWORDS, SchemaGraph, components
from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.keywords import APPLIED_IN_PLACE, REFERENCES

if TYPE_CHECKING:
    from jsonschema_rs import KeywordValidator, Registry, Validator

    from toolgen.schema.graph import Schema

# The cost of validating a value: how often schemas are applied to one place in the value.
#
# A validator follows every path through a schema without caching: twenty definitions, each of which applies the
# previous one twice, are a million steps. Everything here takes time linear in the schema, independent of the number
# of paths.

INFINITE: Final = 10**12
"""Represents all larger numbers."""

_DEEPEST: Final = 200
"""Levels of a value (`toolgen.runtime.base.json_text.MAX_DEPTH`)."""

ALWAYS: Final = frozenset({*REFERENCES, "allOf"})
"""Keywords whose schemas are applied to every valid value: the others are alternatives and conditions."""

EVALUATED_AGAIN: Final = frozenset({"unevaluatedProperties", "unevaluatedItems"})
"""These apply the adjacent schemas again, to find what was evaluated."""

_TIMES_AGAIN: Final = 3
"""Measured with 14 levels of adjacent `allOf`, each takes 2.3 times as long as the one below it."""

_MOST_WORK: Final = 2_000_000

Times = Counter[int]
"""How often schemas are applied, by their `id`."""


class Applied(NamedTuple):
    """How many schemas apply to one value: in total, and in the longest chain."""

    times: int
    chain: int


class Reach:
    """Which schemas are applied together to a value, and to its parts. Computed on demand, and cached."""

    def __init__(self, graph: SchemaGraph, keywords: Container[str] = IN_PLACE_KEYWORDS) -> None:
        """Consider only `keywords` of those that apply schemas to the value itself."""
        self.graph = graph
        self.schemas: dict[int, Schema] = {id(graph.root): graph.root}
        self._keywords = keywords
        self._closures: dict[int, Times] = {}

    def in_place(self, key: int) -> list[tuple[int, int]]:
        """Return the schemas that a schema applies to the same value, and how often each."""
        schema = self.schemas[key]
        found = self.graph.in_place(schema)
        if not found:
            return []
        again = self._keywords is IN_PLACE_KEYWORDS and not EVALUATED_AGAIN.isdisjoint(schema)
        times = _TIMES_AGAIN if again else 1
        return [(self.key(each), times) for keyword, each in found if keyword in self._keywords]

    def with_schema(self, start: int) -> Times:
        """Return all schemas applied to a value together with one, including it, and how often."""
        known = self._closures.get(start)
        if known is None:
            groups = list(components([start], self._in_place_keys))
            known = self._closures[start] = Times({start: 1})
            done: set[int] = set()
            for key in (key for group in reversed(groups) for key in reversed(group)):
                done.add(key)
                for each, times in self.in_place(key):
                    if each not in done:
                        known[each] = min(known[each] + times * known[key], INFINITE)
        return known

    def steps(self, start: int) -> Iterator[Times]:
        """Return, for each possible part of a value, the schemas directly applied to it.

        Those of `patternProperties` count as applied to every field if all keywords are considered, else to none.
        """
        fields: dict[str, Times] = {}
        places: dict[int, Times] = {}
        others: list[tuple[int, int, dict[str, Any]]] = []
        items: list[tuple[int, int, int]] = []
        names = Times()
        for key, times in self.with_schema(start).items():
            below = self.graph.below(self.schemas[key])
            for name, each in below.fields.items():
                fields.setdefault(name, Times())[self.key(each)] += times
            for index, each in below.places.items():
                places.setdefault(index, Times())[self.key(each)] += times
            more = below.some_fields if self._keywords is IN_PLACE_KEYWORDS else ()
            others += [(self.key(each), times, named) for each, named in (*below.other_fields, *more)]
            items += [(self.key(each), times, first) for each, first in below.items]
            names.update({self.key(each): times for each in below.names})
        if len(fields) * len(others) + len(places) * len(items) > _MOST_WORK:
            yield Times({start: INFINITE})
            return
        for name, step in fields.items():
            for target, times, named in others:
                if name not in named:
                    step[target] += times
        for index, step in places.items():
            for target, times, first in items:
                if index >= first:
                    step[target] += times
        yield from fields.values()
        yield from places.values()
        yield _sum((target, times) for target, times, _ in others)
        yield _sum((target, times) for target, times, _ in items)
        yield names

    def _in_place_keys(self, key: int) -> Iterable[int]:
        return [each for each, _ in self.in_place(key)]

    def key(self, schema: Schema) -> int:
        """Return the key of a schema."""
        self.schemas[id(schema)] = schema
        return id(schema)


def applied(reach: Reach) -> Applied:
    """Count what the most expensive schema of a document applies to one value. Cycles count once."""
    times: dict[int, int] = {}
    chains: dict[int, int] = {}
    for group in components(_all_keys(reach), lambda key: [each for each, _ in reach.in_place(key)]):
        members = set(group)
        total = chain = 0
        for key in group:
            below = reach.in_place(key)
            inner = sum(count for each, count in below if each in members)
            total += 1 + sum(count * times[each] for each, count in below if each not in members)
            total = INFINITE if inner > 1 else total
            chain = max(chain, max((chains[each] for each, _ in below if each not in members), default=0))
        times.update(dict.fromkeys(group, min(total, INFINITE)))
        chains.update(dict.fromkeys(group, chain + len(group)))
    return Applied(max(times.values()), max(chains.values()))


def foreseen(reach: Reach, *, per_level: int = _DEEPEST) -> int:
    """Count what is applied on the path to one place in any value; `INFINITE` if unbounded.

    If a schema is recursive by only one path, each of `per_level` levels adds as much as the one above it.
    """
    steps: dict[int, list[Times]] = {}
    waiting, work = [id(reach.graph.root)], 0
    while waiting:
        key = waiting.pop()
        if key not in steps:
            steps[key] = list(reach.steps(key))
            work += len(reach.with_schema(key)) + sum(map(len, steps[key]))
            if work > _MOST_WORK:
                return INFINITE
            waiting += {target for step in steps[key] for target in step}
    worst: dict[int, int] = {}
    for group in components(steps, lambda key: {target for step in steps[key] for target in step}):
        members = set(group)
        most, is_recursive = 0, False
        for key in group:
            here = sum(reach.with_schema(key).values())
            for step in steps[key]:
                inner = sum(count for target, count in step.items() if target in members)
                outer = sum(count * worst[target] for target, count in step.items() if target not in members)
                most = max(most, INFINITE if inner > 1 else here + outer)
                is_recursive = is_recursive or inner > 0
        worst.update(dict.fromkeys(group, min(most * (per_level if is_recursive else 1), INFINITE)))
    return worst[id(reach.graph.root)]


def _all_keys(reach: Reach) -> list[int]:
    """Return all schemas that a document applies."""
    seen: dict[int, None] = {}
    waiting = [id(reach.graph.root)]
    while waiting:
        key = waiting.pop()
        if key in seen:
            continue
        seen[key] = None
        waiting += [each for each, _ in reach.in_place(key)]
        for each in reach.graph.below(reach.schemas[key]).all():
            reach.schemas[id(each)] = each
            waiting.append(id(each))
    return list(seen)


def _sum(pairs: Iterable[tuple[int, int]]) -> Times:
    total = Times()
    for key, count in pairs:
        total[key] += count
    return total


MAX_NESTING: Final = 250
"""Maximum nesting of mappings and lists in an expanded schema; jsonschema-rs fails at 255."""

MAX_PARTS: Final = 100_000
"""Maximum mappings and lists in an expanded schema: each takes some 3 kB during a build."""

MAX_CHAIN: Final = 100
"""Maximum chain of schemas applied to one value. jsonschema-rs follows them on the C stack, and a value may be nested
200 levels deep, each with a whole chain: 200 times 200 overflow a stack of 8 MB."""

MAX_APPLIED: Final = 10_000
"""Maximum schemas applied to one value, unless the document has more. jsonschema-rs 0.60 takes 20 to 60 ns for each, so
0.6 ms; the most expensive of 9,928 published schemas, CloudFormation's, applies 1,897."""

MAX_FORESEEN: Final = 1_000_000
"""Schemas applied on the path to one place in a value, up to which values are not counted individually. 22 of 9,928
published schemas exceed it: alternatives that all refer back to the root."""

BACKTRACK_LIMIT: Final = 100_000
"""Maximum backtracking steps of a pattern with lookaround or backreferences in one text: 3 ms (jsonschema-rs 0.60), or
as many as a text of 100,000 characters needs for `^(?:(?!x).)*$`. All other patterns run in linear time. Beyond it the
value is rejected, also under `not`, unless an alternative fits; after a few texts of one value, always."""

_PATTERN_BYTES: Final = 10 * 2**20
"""Maximum size of one compiled pattern: the default of the engine, which takes 50 ms to reach it."""

_ALL_PATTERN_BYTES: Final = 256 * 2**20
"""Maximum size of all patterns of a schema, shared evenly. It is enough for all published schemas."""

_REPEATING: Final = frozenset({*REFERENCES, *EVALUATED_AGAIN})


class Excess(NamedTuple):
    """Why a schema is rejected, and whether the reason is the time to validate values."""

    reason: str
    is_costly: bool = False


def excess(schema: Any, *, most_parts: float = MAX_PARTS) -> Excess | None:
    """Return which limit a schema exceeds; None if there is none."""
    outline = _Outline()
    stack: list[tuple[Any, int]] = [(schema, 1)]
    while stack:
        node, depth = stack.pop()
        outline.parts += 1
        if outline.parts > most_parts:
            return Excess(f"it has more than {most_parts:,} parts, types and aliases spelled out")
        if depth > MAX_NESTING:
            return Excess(f"it is nested more than {MAX_NESTING} levels deep when short forms are spelled out")
        stack += [(inner, depth + 1) for inner in outline.note(node)]
    return _costs(schema) if outline.may_be_costly else None


class Bounds:
    """The limits of a validator of one schema, which is not excessive."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        outline = _Outline()
        stack = [schema]
        while stack:
            stack += outline.note(stack.pop())
        self._outline = outline

    @property
    def pattern_bytes(self) -> int:
        """The maximum size of a compiled pattern of the schema."""
        return min(_PATTERN_BYTES, _ALL_PATTERN_BYTES // max(len(self._outline.patterns), 1))

    @cached_property
    def graph(self) -> SchemaGraph:
        """The schemas in the schema."""
        return SchemaGraph(self._schema)

    @cached_property
    def are_foreseen(self) -> bool:
        """Whether the time for a place in a value is bounded, independent of the value."""
        return not self._outline.may_be_costly or foreseen(Reach(self.graph)) <= MAX_FORESEEN


class _Outline:
    """Properties of a schema without following its references."""

    def __init__(self) -> None:
        self.parts = 0
        self.patterns: set[str] = set()
        self._applied = 0
        self._is_repeating = False

    @property
    def may_be_costly(self) -> bool:
        """Whether the cost must be computed: without references, it is at most the size of the schema."""
        return self._is_repeating or self._applied > MAX_CHAIN

    def note(self, node: Any) -> list[Any]:
        """Process a mapping or a list, and return the nested ones."""
        if is_array(node):
            return [inner for inner in node if isinstance(inner, dict | list)]
        if not is_object(node):
            return []
        self._is_repeating = self._is_repeating or not _REPEATING.isdisjoint(node)
        for keyword in APPLIED_IN_PLACE & node.keys():
            self._applied += len(node[keyword]) if isinstance(node[keyword], dict | list) else 1
        if isinstance(pattern := node.get("pattern"), str):
            self.patterns.add(pattern)
        if is_object(patterns := node.get("patternProperties")):
            self.patterns.update(patterns)
        return [inner for inner in node.values() if isinstance(inner, dict | list)]


def _costs(schema: Any) -> Excess | None:
    graph = SchemaGraph(schema)
    once, most = applied(Reach(graph)), max(MAX_APPLIED, graph.size)
    if once.chain > MAX_CHAIN:
        return Excess(f"more than {MAX_CHAIN} schemas apply to one value one inside another (`$ref`, `allOf` and such)")
    if once.times > most:
        reason = f"more than {most:,} schemas apply to one value, each counted as often as `$ref`s lead to it"
        return Excess(reason, is_costly=True)
    if foreseen(Reach(graph, ALWAYS), per_level=1) > most:
        reason = "the schemas that apply to a part of a value grow in number with each level that the value nests"
        return Excess(reason, is_costly=True)
    return None


def compiled_validator(
    schema: Any, bounds: Bounds, *, assert_formats: bool = False, registry: Registry | None = None
) -> Validator:
    """Compile a schema. Nothing is fetched, and formats are checked only with `assert_formats`.

    Raises what jsonschema-rs raises for a schema that it cannot compile: `ValidationError`, `ReferencingError`, or
    `ValueError`.
    """
    from jsonschema_rs import (  # imported on first use: it takes 15 ms
        FancyRegexOptions,
        validator_for,
    )

    return validator_for(
        schema,
        registry=registry,
        validate_formats=assert_formats,
        keywords=None if assert_formats else _ANNOTATIONS,
        offline=True,
        pattern_options=FancyRegexOptions(backtrack_limit=BACKTRACK_LIMIT, size_limit=bounds.pattern_bytes),
    )


def is_usable(schema: Any, bounds: Bounds, *, assert_formats: bool = False) -> bool:
    """Return whether a schema can be compiled."""
    from jsonschema_rs import ReferencingError  # a `ValidationError` is a `ValueError`

    try:
        compiled_validator(schema, bounds, assert_formats=assert_formats)
    except (ReferencingError, ValueError):
        return False
    return True


def registry_of(uri: str, schema: Any) -> Registry:
    """Return a registry in which references find a schema, and its parts, under a URI."""
    from jsonschema_rs import Registry

    return Registry([(uri, schema)])


class _Annotation:
    """A keyword that checks nothing: jsonschema-rs enforces draft-07's content keywords, which are optional there."""

    def __init__(self, parent_schema: dict[str, Any], value: Any, schema_path: list[str | int]) -> None: ...

    def validate(self, instance: Any) -> None: ...


_ANNOTATIONS: Final[dict[str, type[KeywordValidator]]] = {
    "contentEncoding": _Annotation,
    "contentMediaType": _Annotation,
}
