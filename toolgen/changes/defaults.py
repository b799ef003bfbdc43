"""Defaults: the values that args, and fields inside them, have in calls that leave them out."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.changes.rules import Change, quoted
from toolgen.schema.fields import default_among, parts_of
from toolgen.schema.json_values import are_equal, is_array, is_object
from toolgen.schema.keywords import required_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from toolgen.changes.rules import Path

_Group: TypeAlias = "Sequence[Any]"
"""Schemas that describe one value together."""

MOST_SCHEMAS: Final = 10_000
"""Schemas that are looked at for the defaults of a tool, in both versions, each as often as it describes another value.

Groups of schemas that refer to each other can be as many as the sets of them. Of 2,599 published tools none needs 120.
"""


def compare_defaults(subject: str, before: Any, after: Any, *, path: Path) -> Iterator[Change]:
    """Yield a change for each field of the args that calls may leave out, before and after, and whose default changed.

    `path` leads to the tool. Alternatives are compared by their order. Where more than `MOST_SCHEMAS` would be looked
    at, the last change says that others may be left.
    """
    if are_equal(before, after):
        return
    waiting: list[tuple[_Group, _Group, Path, str]] = [([before], [after], (), "")]
    was, now = _Schemas(before), _Schemas(after)
    seen = set[tuple[int, ...]]()
    left = MOST_SCHEMAS
    while waiting:
        *groups, inside, name = waiting.pop()
        old, new = _Parts(was, groups[0]), _Parts(now, groups[1])
        key = (*map(id, old.schemas), 0, *map(id, new.schemas))
        if key in seen:
            continue
        seen.add(key)
        left -= len(key)
        if left < 0:
            message = f"not all defaults are compared: that takes more than {MOST_SCHEMAS:,} schemas"
            yield Change(code="ROUTE110", subject=subject, message=message, before_path=path, after_path=path)
            return
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
    """What each schema of one version consists of, read once."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._parts: dict[int, list[Mapping[str, Any]]] = {}
        self._below: dict[int, list[tuple[Path, Any]]] = {}

    def parts(self, schema: Any) -> list[Mapping[str, Any]]:
        if id(schema) not in self._parts:
            self._parts[id(schema)] = [*parts_of(schema, self._root)]
        return self._parts[id(schema)]

    def below(self, schema: Mapping[str, Any]) -> list[tuple[Path, Any]]:
        if id(schema) not in self._below:
            self._below[id(schema)] = [*_below(schema)]
        return self._below[id(schema)]


class _Parts:
    """What describes a value: its schemas, those of its fields and items by their places, and its alternatives."""

    def __init__(self, of: _Schemas, group: _Group) -> None:
        self.schemas = [*chain.from_iterable(map(of.parts, group))]
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
