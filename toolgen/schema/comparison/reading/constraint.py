"""Schemas as constraints: what each keyword means, in one form for all drafts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from toolgen.schema.comparison.reading.document import Document

NULL: Final = "null"
BOOLEAN: Final = "boolean"
INTEGER: Final = "integer"
WHOLE: Final = "1.0"
FRACTION: Final = "fraction"
STRING: Final = "string"
ARRAY: Final = "array"
OBJECT: Final = "object"

NUMBERS: Final = frozenset({INTEGER, WHOLE, FRACTION})
KINDS: Final = (NULL, BOOLEAN, INTEGER, WHOLE, FRACTION, STRING, ARRAY, OBJECT)
"""The kinds of values. `WHOLE` are numbers such as `1.0`, which draft 04 does not count as integers."""

ANY: Final = frozenset(KINDS)
_STRINGS: Final = frozenset({STRING})
_ARRAYS: Final = frozenset({ARRAY})
_OBJECTS: Final = frozenset({OBJECT})

APPLIES_TO: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), NUMBERS),
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format", "content"), _STRINGS),
    **dict.fromkeys(("items", "minItems", "maxItems", "uniqueItems", "atLeast", "atMost", "unevaluatedItems"), _ARRAYS),
    **dict.fromkeys(
        ("property", "pattern property", "others", "required", "dependentRequired", "dependentSchema"), _OBJECTS
    ),
    **dict.fromkeys(("propertyNames", "minProperties", "maxProperties", "unevaluatedProperties"), _OBJECTS),
}
"""The kinds of values that a constraint can reject; all for those that are not listed."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """One assertion of a schema.

    `value` is what of it is no schema, hashable, and `schemas` are its subschemas; `keyword` is where it is written.
    `name` is a keyword of JSON Schema, or one of these: `property`, `pattern property` and `others` for the fields with
    a name, with a pattern, and with neither; `atLeast` and `atMost` for a number of items that fit a schema; `values`
    for `enum` and `const`; `if` has three schemas; `opaque` is not understood.
    """

    name: str
    value: Hashable
    schemas: tuple[Schema, ...] = ()
    keyword: str = ""

    @property
    def key(self) -> tuple[Hashable, ...]:
        """What constraints with equal meaning have in common."""
        return (self.name, self.value, *(schema.colour for schema in self.schemas))

    def applies_to(self, kind: str) -> bool:
        """Return whether it can reject values of a kind."""
        return kind in APPLIES_TO.get(self.name, ANY)


@dataclass(slots=True, eq=False)
class Schema:
    """A schema inside a document. `colour` is the same for two schemas only if they accept the same values."""

    document: Document
    raw: Any
    pointer: str
    colour: int = -1
    _constraints: tuple[Constraint, ...] | None = field(default=None, repr=False)

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints of a schema; none for `false`, see `is_false`."""
        if self._constraints is None:
            self._constraints = self.document.read(self)
        return self._constraints

    def behind(self) -> Schema:
        """Return the target of a schema that is only a reference, else itself."""
        schema, seen = self, set[int]()
        while id(schema) not in seen and [each.name for each in schema.constraints] == ["ref"]:
            seen.add(id(schema))
            schema = schema.constraints[0].schemas[0]
        return schema

    def constraints_beside(self, keyword: str) -> list[Constraint]:
        """Return the constraints of its other keywords, without those on what is unevaluated."""
        others = {name: value for name, value in self.raw.items() if name != keyword and "unevaluated" not in name}
        return list(self.document.read(Schema(self.document, others, self.pointer)))

    @property
    def is_false(self) -> bool:
        """Whether it is `false`."""
        return self.raw is False
