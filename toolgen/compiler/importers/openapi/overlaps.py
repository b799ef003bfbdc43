"""Overlaps: values that fit two alternatives of a published `oneOf`, which `anyOf` replaces in args."""

from __future__ import annotations

import json
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.importers.openapi.files import Fault
from toolgen.schema.comparison.compare import compare

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.importers.openapi.schemas import Schemas

_MOST_PAIRS: Final = 10
_MOST_COMPARISONS: Final = 40
"""Pairs of alternatives of one schema, and of all, that are compared: a report is worth no more time."""

_LONGEST_VALUE: Final = 80


def report_overlaps(schemas: Schemas, sink: Diagnostics) -> None:
    """Report the alternatives of args that overlap, each with a value that fits two of them."""
    left = _MOST_COMPARISONS
    for part, branches in list(schemas.relaxed.values()):
        pairs = list(islice(combinations(branches, 2), min(_MOST_PAIRS, left)))
        left -= len(pairs)
        value = next(_common(pairs, schemas), None)
        if value is not None:
            message = f"`{value}` fits two alternatives of a `oneOf`, so the args take what fits any of them (`anyOf`)"
            sink.report("TG837", part.span, message)


def _common(pairs: list[tuple[Any, Any]], schemas: Schemas) -> Iterator[str]:
    """Values that fit both schemas of a pair, as short JSON text."""
    for one, other in pairs:
        try:
            both = schemas.with_definitions({"allOf": [one, other]}, "args")
        except Fault:
            continue
        definitions = {"$defs": both["$defs"]} if "$defs" in both else {}
        found = compare({"allOf": [one], **definitions}, {"not": other, **definitions}).lost.counterexample
        if found is not None:
            text = json.dumps(found.value, ensure_ascii=False)
            yield text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
