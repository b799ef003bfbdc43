"""Contracts of tools: whether a call that was planned with an earlier args schema may be made with the one of today."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.changes.rules import Level
from toolgen.changes.wire import compare_schemas
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from collections.abc import Sequence

_RENAMED: Final = "WIRE211"


def without_effect(ident: str, before: Any, after: Any, args: Any) -> list[str]:
    """Return which args of a call, that the schema of today accepts, have lost their effect, by the rules of `diff`.

    An arg that is gone, or has another name, is accepted where the args are open: a call with `dry_run` would become a
    real one. What the schema of today rejects, a validator finds.
    """
    changes = compare_schemas(ident, "args", before, after, path=())
    return [
        change.message
        for change in changes
        if (change.level is Level.IGNORED or change.code == _RENAMED) and _gives(args, (change.before_path or ())[1:])
    ]


def _gives(value: Any, path: Sequence[str]) -> bool:
    """Whether a value has what a path in its schema leads to; where that is not told, it may."""
    while path:
        if path[0] != "properties" or len(path) < 2:
            return True
        if not is_object(value) or path[1] not in value:
            return False
        value, path = value[path[1]], path[2:]
    return True
