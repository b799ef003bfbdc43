"""MODEL: what a model sees of a tool: its texts, its parameters and their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from toolgen.changes.rules import Change, names
from toolgen.schema.comparison.normal_form import TooLargeError, normal_form
from toolgen.schema.json_values import are_equal, canonical, is_array, is_object
from toolgen.schema.keywords import DEFINITIONS, required_of
from toolgen.schema.references import alone, followed

if TYPE_CHECKING:
    from toolgen.changes.rules import Path


_TEXT_KEYWORDS: Final = frozenset({"description", "title", "examples"})


def changed_value(
    code: str, subject: str, message: str, before: Mapping[str, Any], after: Mapping[str, Any], key: str, path: Path
) -> Iterator[Change]:
    """Yield a change if the values under a key differ; an absent value equals one that is empty."""
    old, new = before.get(key) or None, after.get(key) or None
    if not are_equal(old, new):
        yield Change(
            code=code,
            subject=subject,
            message=message,
            before_path=(*path, key),
            after_path=(*path, key),
            before=old,
            after=new,
        )


def compare_parameters(
    subject: str, before: Mapping[str, Any], after: Mapping[str, Any], *, path: Path
) -> Iterator[Change]:
    """Yield the changes of the schemas that a model sees, given as the entries of a tool in two catalogs."""
    old, new = before["args"], after["args"]
    if canonical(old) != canonical(new) or list(_fields(old)) != list(_fields(new)):
        yield from _Parameters(subject, (*path, "args"), old, new).changes()
    results = (before.get("result", True), after.get("result", True))
    if canonical(results[0]) != canonical(results[1]) and _schema_and_texts(results[0]) != _schema_and_texts(
        results[1]
    ):
        yield Change(
            code="MODEL208",
            subject=subject,
            message="the schema of the result changed",
            before_path=(*path, "result"),
            after_path=(*path, "result"),
            before=results[0],
            after=results[1],
        )


class _Parameters:
    def __init__(self, subject: str, path: Path, before: Any, after: Any) -> None:
        self._subject, self._path = subject, path
        self._before, self._after = before, after
        self._required = required_of(before), required_of(after)

    def changes(self) -> Iterator[Change]:
        old, new = _fields(self._before), _fields(self._after)
        for name in (name for name in new if name not in old):
            yield self._change("MODEL201", f"the parameter `{name}` is new", ("properties", name))
        for name in (name for name in old if name not in new):
            yield self._change("MODEL202", f"the parameter `{name}` is gone", ("properties", name))
        for name in (name for name in new if name in old):
            yield from self._of_parameter(name, old[name], new[name])
        common = [name for name in old if name in new]
        if common != [name for name in new if name in old]:
            yield self._change("MODEL204", f"the order is {names(new)}", ("properties",))
        yield from self._of_whole()

    def _of_parameter(self, name: str, old: Any, new: Any) -> Iterator[Change]:
        inside = ("properties", name)
        parts = alone(old, self._before), alone(new, self._after)
        is_same = canonical(parts[0]) == canonical(parts[1])
        if not is_same and _texts(parts[0]) != _texts(parts[1]):
            yield self._change("MODEL203", f"the description of `{name}` changed", inside)
        old, new = _target(old, self._before), _target(new, self._after)
        enums = _enum(old), _enum(new)
        if None not in enums and enums[0] != enums[1]:
            is_order = sorted(map(canonical, enums[0] or ())) == sorted(map(canonical, enums[1] or ()))
            code, what = ("MODEL206", "order of values") if is_order else ("MODEL205", "values")
            yield self._change(code, f"the {what} of `{name}` changed", inside)
            old, new = _without(old, "enum"), _without(new, "enum")
        must = [name in required for required in self._required]
        if must[0] != must[1]:
            yield self._change("MODEL207", f"`{name}` is {'required' if must[1] else 'optional'} now", inside)
        elif not is_same and _shown(old, self._before) != _shown(new, self._after):
            yield self._change("MODEL207", f"the schema of `{name}` changed", inside)

    def _of_whole(self) -> Iterator[Change]:
        leave_out = ("properties", "required", *DEFINITIONS)
        old, new = ({key: value for key, value in schema.items() if key not in leave_out} for schema in self._both())
        if _texts(old) != _texts(new):
            yield self._change("MODEL203", "the description of the args changed")
        if _shown(old, self._before) != _shown(new, self._after):
            yield self._change("MODEL207", "the schema of the args as a whole changed")

    def _both(self) -> Iterator[Mapping[str, Any]]:
        yield from (schema if is_object(schema) else {} for schema in (self._before, self._after))

    def _change(self, code: str, message: str, inside: Path = ()) -> Change:
        old, new = _at(self._before, inside), _at(self._after, inside)
        return Change(
            code=code,
            subject=self._subject,
            message=message,
            before_path=None if old is None else (*self._path, *inside),
            after_path=None if new is None else (*self._path, *inside),
            before=old,
            after=new,
        )


def _fields(schema: Any) -> Mapping[str, Any]:
    fields = schema.get("properties") if is_object(schema) else None
    return fields if is_object(fields) else {}


def _enum(schema: Any) -> list[Any] | None:
    """Return the values that a parameter, or each item of it, may have."""
    if is_object(schema) and is_array(schema.get("enum")):
        return list(schema["enum"])
    return None


def _target(schema: Any, whole: Any) -> Any:
    """Return what a schema refers to, if it does nothing else."""
    target = followed(schema, whole)
    return target if is_object(target) else schema


def _without(schema: Any, keyword: str) -> Any:
    return {key: value for key, value in schema.items() if key != keyword}


def _shown(schema: Any, whole: Any = None) -> Any:
    """Return the form in which schemas that say the same are equal, without texts, but with defaults."""
    try:
        return canonical(normal_form(alone(schema, whole))), canonical(_defaults(schema))
    except (TooLargeError, RecursionError):
        return canonical(alone(schema, whole))


def _schema_and_texts(schema: Any) -> Any:
    """Return everything that a schema says but the order of fields."""
    return _shown(schema), sorted(_texts(schema))


def _texts(schema: Any) -> list[tuple[str, str]]:
    """Return the texts in a schema, with their keywords."""
    return list(_texts_below(schema))


def _texts_below(node: Any) -> Iterator[tuple[str, str]]:
    if is_array(node):
        yield from chain.from_iterable(map(_texts_below, node))
    elif is_object(node):
        for key, value in node.items():
            if key in _TEXT_KEYWORDS and not is_object(value):
                yield key, canonical(value).decode()
            elif key not in ("enum", "const", "default"):
                yield from _texts_below(value)


def _defaults(node: Any, path: Path = ()) -> list[Any]:
    """Return the defaults in a schema, with their places."""
    if is_array(node):
        return [found for number, each in enumerate(node) for found in _defaults(each, (*path, str(number)))]
    if not is_object(node):
        return []
    own = [[*path, node["default"]]] if "default" in node and path[-1:] != ("properties",) else []
    inner = ((key, value) for key, value in node.items() if key not in ("default", "enum", "const"))
    return own + [found for key, value in inner for found in _defaults(value, (*path, key))]


def _at(schema: Any, inside: Path) -> Any:
    for step in inside:
        schema = schema.get(step) if is_object(schema) else None
    return schema
