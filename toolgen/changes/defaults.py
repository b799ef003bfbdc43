"""Defaults: the values that args, and fields inside them, have in calls that leave them out."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.changes.rules import Change, quoted
from toolgen.schema.fields import default_among, parts_of
from toolgen.schema.json_values import are_equal, canonical, is_array, is_object
from toolgen.schema.keywords import required_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from toolgen.changes.rules import Path

_Group: TypeAlias = "Sequence[Any]"
"""Schemas that describe one value together."""

MOST_AGAIN: Final = 10_000
"""Schemas that are looked at again for the defaults of a tool, in both versions, since they describe several values.

Groups of schemas that refer to each other can be as many as the sets of them.
"""


def compare_defaults(subject: str, before: Any, after: Any, *, path: Path) -> Iterator[Change]:
    """Yield a change for each field of the args that calls may leave out, before and after, and whose default changed.

    `path` leads to the tool. Alternatives are compared by their order. Where more than `MOST_AGAIN` schemas would be
    looked at again, the last change says that others may be left.
    """
    if canonical(before) == canonical(after):
        return
    waiting: list[tuple[_Group, _Group, Path, str]] = [([before], [after], (), "")]
    was, now = _Schemas(before), _Schemas(after)
    seen = set[tuple[int, ...]]()
    met_again = 0
    while waiting:
        if met_again + was.again + now.again > MOST_AGAIN:
            message = "not all defaults are compared: too many definitions refer to each other"
            yield Change(code="ROUTE110", subject=subject, message=message, before_path=path, after_path=path)
            return
        *groups, inside, name = waiting.pop()
        parts = was.parts(groups[0]), now.parts(groups[1])
        key = (*map(id, parts[0]), 0, *map(id, parts[1]))
        if key in seen:
            met_again += 1
            continue
        seen.add(key)
        old, new = _Parts(was, parts[0]), _Parts(now, parts[1])
        for step, schemas in old.below.items():
            if step not in new.below:
                continue
            below = (*inside, *step)
            called = name
            if step[0] == "properties":
                called = f"{name}.{step[1]}" if inside else step[1]
                if step[1] not in old.required | new.required:
                    values = default_among(schemas, before), default_among(new.below[step], after)
                    yield from _changed(subject, called, values, (*path, "args", *below))
            waiting.append((schemas, new.below[step], below, called))
        alternatives = zip(old.alternatives or [groups[0]], new.alternatives or [groups[1]], strict=False)
        waiting += [(one, other, inside, name) for one, other in alternatives]


def _changed(subject: str, name: str, values: tuple[dict[str, Any], dict[str, Any]], path: Path) -> Iterator[Change]:
    old, new = values
    if are_equal(old, new):
        return
    now = f"has the default {quoted(new['default'])} now" if new else "has no default now"
    was = f"it was {quoted(old['default'])}" if old else "it had none"
    yield Change(
        code="ROUTE110",
        subject=subject,
        message=f"`{name}` {now}, and {was}",
        before_path=(*path, "default") if old else path,
        after_path=(*path, "default") if new else path,
        before=old.get("default"),
        after=new.get("default"),
    )


class _Schemas:
    """What each schema of one version consists of, read once. `again` counts what is looked at after that."""

    def __init__(self, root: Any) -> None:
        self.again = 0
        self._root = root
        self._parts: dict[int, list[Mapping[str, Any]]] = {}
        self._below: dict[int, list[tuple[Path, Any]]] = {}

    def parts(self, group: _Group) -> list[Mapping[str, Any]]:
        """Return all schemas that describe a value which a group of them describes, each once."""
        for schema in group:
            if id(schema) not in self._parts:
                self._parts[id(schema)] = [*parts_of(schema, self._root)]
        found = chain.from_iterable(self._parts[id(schema)] for schema in group)
        return [*{id(each): each for each in found}.values()]

    def below(self, schema: Mapping[str, Any]) -> list[tuple[Path, Any]]:
        known = self._below.get(id(schema))
        if known is None:
            known = self._below[id(schema)] = [*_below(schema)]
        else:
            self.again += 1 + len(known)
        return known


class _Parts:
    """What describes a value: its schemas, those of its fields and items by their places, and its alternatives."""

    def __init__(self, of: _Schemas, schemas: Sequence[Mapping[str, Any]]) -> None:
        self.schemas = schemas
        self.required = {name for schema in self.schemas for name in required_of(schema)}
        self.below: dict[Path, list[Any]] = {}
        self.alternatives: list[_Group] = []
        for schema in self.schemas:
            for step, inner in of.below(schema):
                self.below.setdefault(step, []).append(inner)
            for keyword in ("anyOf", "oneOf"):
                listed = schema.get(keyword)
                self.alternatives += [[each] for each in listed if not _is_null(each)] if is_array(listed) else ()


def _below(schema: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    for keyword in ("properties", "patternProperties"):
        named = schema.get(keyword)
        for name, each in named.items() if is_object(named) else ():
            yield (keyword, name), each
    for keyword in ("items", "prefixItems", "additionalProperties"):
        inner = schema.get(keyword)
        for number, each in enumerate(inner) if is_array(inner) else ():
            yield (keyword, str(number)), each
        if is_object(inner):
            yield (keyword,), inner


def _is_null(schema: Any) -> bool:
    return is_object(schema) and schema.get("type") == "null"
