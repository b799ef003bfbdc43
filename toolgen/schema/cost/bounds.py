"""Limits of schemas: their size, and the time to validate a value."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, NamedTuple

from toolgen.schema.cost.count import ALWAYS, EVALUATED_AGAIN, Reach, applied, foreseen
from toolgen.schema.cost.graph import SchemaGraph
from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.subschemas import APPLIED_IN_PLACE, REFERENCES

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
