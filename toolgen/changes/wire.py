"""WIRE: calls and results that were valid and are not any more. Args may widen, results may narrow."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from toolgen.changes.rules import Change, quoted
from toolgen.schema.comparison.compare import Verdict, compare
from toolgen.schema.json_values import canonical, is_array, is_object
from toolgen.schema.keywords import ANNOTATIONS, DEFINITIONS, SILENT, required_of
from toolgen.schema.references import alone, behind, steps_of
from toolgen.spec.wire_names import words

if TYPE_CHECKING:
    from toolgen.changes.rules import Path
    from toolgen.schema.comparison.compare import Comparison, Direction


# Fields: a comparison of two schemas of objects told field by field, so that a change is shown where it was made.

_FIELD_BY_FIELD: Final = frozenset({"properties", "required"})
_PLAIN: Final = (
    frozenset({"type", "additionalProperties", "$schema", *_FIELD_BY_FIELD, *DEFINITIONS}) | ANNOTATIONS | SILENT
)
_BEYOND: Final = re.compile(
    rb'"(?:\$ref":"(?!#/(?:\$defs|definitions)/)|\$(?:dynamicRef|recursiveRef|id|anchor|dynamicAnchor)":"|id":")'
)
"""References to other places than definitions, and names for them, in canonical text: such a part is not alone."""


class Kind(StrEnum):
    """What happened to a field, or to the whole. A field that is required is known, also if no schema declares it."""

    ADDED = "added"
    REMOVED = "removed"
    REQUIRED = "required"
    OPTIONAL = "optional"
    CHANGED = "changed"
    OTHERS = "others"
    """Keys that no field names."""
    WHOLE = "whole"
    """What the keywords beside the fields decide."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason why two schemas accept different values. `field` is None for `OTHERS` and `WHOLE`.

    `comparison` is of the schemas of the field, or of the wholes; None where no schema decides.
    """

    kind: Kind
    field: str | None = None
    comparison: Comparison | None = None

    @property
    def lost(self) -> Direction | None:
        """The values that were valid before and are not after; None if there are certainly none."""
        return _some(self.comparison.lost) if self.comparison else None

    @property
    def gained(self) -> Direction | None:
        """The values that became valid; None if there are certainly none."""
        return _some(self.comparison.gained) if self.comparison else None


def causes(before: Any, after: Any, *, formats_before: bool, formats_after: bool) -> Iterator[Cause]:
    """Yield the reasons why two schemas accept different values, in the order of the fields; the whole comes last.

    Each is compared alone. For plain schemas that decides; in others a field may be narrower and the whole not, because
    the keywords beside the fields excluded the values before.
    """
    if not (_has_fields(before) and _has_fields(after)):
        yield Cause(Kind.WHOLE)
        return

    def compared(one: Any, other: Any) -> Comparison:
        return compare(one, other, formats_before=formats_before, formats_after=formats_after)

    old, new = before.get("properties", {}), after.get("properties", {})
    must, now_must = required_of(before), required_of(after)
    for name in dict.fromkeys((*new, *old, *now_must, *must)):
        if name in now_must and name not in must:
            yield Cause(Kind.REQUIRED, name)
        if name in must and name not in now_must and (name in new or name not in old):
            yield Cause(Kind.OPTIONAL, name)
        if name not in old and name not in new:
            continue
        is_known, is_known_now = name in old or name in must, name in new or name in now_must
        kind = Kind.ADDED if not is_known else Kind.REMOVED if not is_known_now else Kind.CHANGED
        one = old.get(name, _others(before))
        other = new.get(name, _others(after))
        one, other = alone(one, before), alone(other, after)
        if kind is not Kind.CHANGED or canonical(one) != canonical(other):
            yield Cause(kind, name, compared(one, other))
    if is_plain(before) and is_plain(after):
        others = compared(alone(_others(before), before), alone(_others(after), after))
        if others.lost.verdict is not Verdict.NONE or others.gained.verdict is not Verdict.NONE:
            yield Cause(Kind.OTHERS, comparison=others)
        return
    rest = {keyword: value for keyword, value in before.items() if keyword not in _FIELD_BY_FIELD}
    same_fields = {keyword: after[keyword] for keyword in (*_FIELD_BY_FIELD, *DEFINITIONS) if keyword in after}
    whole = compared({**rest, **same_fields}, after)
    if whole.lost.verdict is not Verdict.NONE or whole.gained.verdict is not Verdict.NONE:
        yield Cause(Kind.WHOLE, comparison=whole)


def is_plain(schema: Any) -> bool:
    """Return whether the fields of a schema alone decide what it accepts: each by its own schema, present or absent."""
    return _has_fields(schema) and all(keyword in _PLAIN or keyword.startswith("x-") for keyword in schema)


def _some(direction: Direction) -> Direction | None:
    return None if direction.verdict is Verdict.NONE else direction


def _has_fields(schema: Any) -> bool:
    """Return whether a schema is of an object, and its fields can be compared one by one."""
    return (
        is_object(schema)
        and schema.get("type") == "object"
        and is_object(schema.get("properties", {}))
        and "patternProperties" not in schema
        and "$ref" not in schema
        and not _BEYOND.search(canonical(schema))
    )


def _others(schema: Mapping[str, Any]) -> Any:
    return schema.get("additionalProperties", schema.get("unevaluatedProperties", True))


_GONE: Final = frozenset({"WIRE202", "WIRE210", "WIRE211"})
_IGNORED: Final = "the arg `{name}` is gone, and calls that give it are accepted: it has no effect"
_DEEPEST: Final = 50
_UNDECIDED: Final = frozenset({"WIRE205", "WIRE306"})


def compare_schemas(
    subject: str,
    side: str,
    before: Any,
    after: Any,
    *,
    path: Path,
    formats: tuple[bool, bool] = (False, False),
) -> Iterator[Change]:
    """Yield the WIRE changes of one side of a tool, `args` or `result`, where the accepted values may have changed.

    `path` leads to the tool in both catalogs; `formats` says of each of them whether `format` is checked.
    """
    if canonical(before) == canonical(after) and formats[0] == formats[1]:
        return
    was, now = formats
    whole: Comparison | None = None
    if not (is_plain(before) and is_plain(after)):
        whole = compare(before, after, formats_before=was, formats_after=now)
    comparison = (_Args if side == "args" else _Result)(subject, (*path, side), before, after, whole, formats)
    told: list[Change] = []
    if whole is None or whole.lost.verdict is not Verdict.NONE or whole.gained.verdict is not Verdict.NONE:
        told = list(comparison.changes(causes(before, after, formats_before=was, formats_after=now)))
        yield from told
    if isinstance(comparison, _Args):
        yield from comparison.ignored(told)


class _Side(ABC):
    """One side of a tool: the rules for what its fields lose and gain; `harmful` are the codes of what breaks."""

    harmful: frozenset[str]

    def __init__(
        self, subject: str, path: Path, before: Any, after: Any, whole: Comparison | None, formats: tuple[bool, bool]
    ) -> None:
        self._subject, self._path, self._formats = subject, path, formats
        self._before, self._after = before, after
        self._required = required_of(before)
        self._whole = whole

    def changes(self, found: Iterable[Cause]) -> Iterator[Change]:
        """Yield a change for each cause that the comparison of the wholes does not exclude, and at least one."""
        told = [change for cause in found for change in self.of_cause(cause)]
        yield from told
        if self._whole is None:
            return
        if not self._harms():
            yield from () if told else self.of_whole(self._whole)
        elif not any(change.code in self.harmful for change in told):
            yield from self.of_rest(self._whole, told)

    def of_cause(self, cause: Cause) -> Iterator[Change]:
        """Yield the changes that one cause makes."""
        return self.of_others(cause) if cause.field is None else self.of_field(cause.field, cause)

    @abstractmethod
    def of_field(self, name: str, cause: Cause) -> Iterator[Change]:
        """Yield the changes that a cause in one field makes."""

    def of_others(self, cause: Cause) -> Iterator[Change]:
        """Yield the changes that a cause beside the fields makes."""
        if cause.comparison is not None:
            yield from self.of_whole(cause.comparison)

    @abstractmethod
    def of_whole(self, whole: Comparison) -> Iterator[Change]:
        """Yield the changes that no single field is the cause of."""

    def of_rest(self, whole: Comparison, told: Iterable[Change]) -> Iterator[Change]:
        """Yield the change that breaks, where none of those that are told does."""
        yield from self.of_whole(whole)

    @abstractmethod
    def _harms(self) -> bool:
        """Return whether something that was valid is not valid any more."""

    def _loses(self) -> bool:
        return self._whole is None or self._whole.lost.verdict is not Verdict.NONE

    def _gains(self) -> bool:
        return self._whole is None or self._whole.gained.verdict is not Verdict.NONE

    def _change(self, code: str, message: str, field: str | None = None, direction: Direction | None = None) -> Change:
        inside = () if field is None else ("properties", field)
        old, new = _at(self._before, inside), _at(self._after, inside)
        places: tuple[Path, Path] = ((), ())
        evidence = ""
        if direction is not None and direction.counterexample is not None:
            found = direction.counterexample
            keyword = found.place.keyword
            places = _keyword(old, found.place.before, keyword), _keyword(new, found.place.after, keyword)
            evidence = f"for example: {quoted(found.value)}"
        elif direction is not None and direction.undecided and code in _UNDECIDED:
            first = direction.undecided[0]
            places = _steps(first.before), _steps(first.after)
            evidence = f"undecided at {first.after or '/'}" + (f" (`{first.keyword}`)" if first.keyword else "")
        return Change(
            code=code,
            subject=self._subject,
            message=message,
            before_path=(*self._path, *inside, *places[0]) if old is not None or not inside else None,
            after_path=(*self._path, *inside, *places[1]) if new is not None or not inside else None,
            before=old,
            after=new,
            evidence=evidence,
        )


class _Args(_Side):
    harmful = frozenset({"WIRE201", "WIRE202", "WIRE203", "WIRE204", "WIRE205", "WIRE211"})

    def __init__(
        self, subject: str, path: Path, before: Any, after: Any, whole: Comparison | None, formats: tuple[bool, bool]
    ) -> None:
        super().__init__(subject, path, before, after, whole, formats)
        self._renamed = _renamed(before, after)
        self._old_names = {new: old for old, new in self._renamed.items()}
        self._required_now = required_of(after)

    @cached_property
    def _took_anything(self) -> bool:
        """Whether keys that no field names could have any value: nobody said what they mean."""
        others = alone(_others(self._before), self._before)
        return compare(True, others, search=False).lost.verdict is Verdict.NONE

    def ignored(self, told: Collection[Change]) -> Iterator[Change]:
        """Yield the args, and fields of them, that are not declared any more and still accepted, beside `told`."""
        gone = {change.before_path for change in told if change.code in _GONE}
        accepts_all = not any(change.code in self.harmful for change in told)
        for inside, name in _undeclared(self._before, self._after, accepts_all=accepts_all):
            path = (*self._path, *inside)
            if path not in gone:
                yield Change(
                    code="WIRE210",
                    subject=self._subject,
                    message=_IGNORED.format(name=name),
                    before_path=path,
                    after_path=(*self._path, *inside[:-2]),
                    before=_at(self._before, inside),
                )

    def of_field(self, name: str, cause: Cause) -> Iterator[Change]:
        lost, gained = cause.lost, cause.gained
        match cause.kind:
            case Kind.REMOVED if name in self._renamed:
                new = self._renamed[name]
                yield Change(
                    code="WIRE211",
                    subject=self._subject,
                    message=f"the arg `{name}` is `{new}` now",
                    before_path=(*self._path, "properties", name),
                    after_path=(*self._path, "properties", new),
                    before=name,
                    after=new,
                )
            case Kind.ADDED if name in self._old_names:
                return  # told as renamed
            case Kind.REQUIRED if self._old_names.get(name) in self._required:
                return
            case Kind.REQUIRED if self._loses():
                yield self._change("WIRE201", f"the arg `{name}` is required now", name)
            case Kind.OPTIONAL if self._gains():
                yield self._change("WIRE208", f"the arg `{name}` is optional now", name)
            case Kind.REMOVED if lost and self._loses():
                yield self._change("WIRE202", f"the arg `{name}` is gone", name)
            case Kind.REMOVED if not lost and self._is_accepted(name):
                yield self._change("WIRE210", _IGNORED.format(name=name), name)
            case Kind.ADDED if name in self._required_now:
                return  # told as required
            case Kind.ADDED if lost and self._loses() and self._took_anything:
                yield self._change("WIRE209", f"the undeclared key `{name}` is an arg now", name, lost)
            case Kind.ADDED if lost and self._loses() and lost.verdict is Verdict.FOUND:
                message = f"the key `{name}`, which `additionalProperties` allowed, accepts fewer values"
                yield self._change("WIRE203", message, name, lost)
            case Kind.ADDED if lost and self._loses():
                yield self._undecided(lost, name)
            case Kind.ADDED:
                yield self._change("WIRE207", f"the arg `{name}` is new", name)
            case Kind.CHANGED if lost and self._loses():
                if lost.verdict is Verdict.FOUND:
                    yield self._change("WIRE203", f"the arg `{name}` accepts fewer values", name, lost)
                else:
                    yield self._undecided(lost, name)
            case Kind.CHANGED if gained and self._gains():
                yield self._change("WIRE208", f"the arg `{name}` accepts more values", name, gained)
            case _:
                return

    def of_others(self, cause: Cause) -> Iterator[Change]:
        lost, gained = cause.lost, cause.gained
        if cause.kind is Kind.OTHERS and lost and lost.verdict is Verdict.FOUND:
            yield self._change("WIRE204", "keys that no arg has accept fewer values, or none")
        elif cause.kind is Kind.OTHERS and gained and not lost:
            yield self._change("WIRE208", "keys that no arg has accept more values")
        else:
            yield from super().of_others(cause)

    def _is_accepted(self, name: str) -> bool:
        """Return whether all calls with an arg that were valid are valid, as far as that is certain."""
        return not self._loses() or self._whole is None or not self._lost({"required": sorted({*self._required, name})})

    def of_rest(self, whole: Comparison, told: Iterable[Change]) -> Iterator[Change]:
        at_name = len(self._path) + 1
        noted = [change.after_path[at_name] for change in told if change.code == "WIRE209" and change.after_path]
        if not noted:
            yield from self.of_whole(whole)
        elif lost := self._lost({"properties": {**self._before.get("properties", {}), **dict.fromkeys(noted, False)}}):
            yield from self._narrowed(lost)

    def _lost(self, keywords: Mapping[str, Any]) -> Direction | None:
        """Return the values that are lost of those that are valid by these keywords, too; None for certainly none."""
        was, now = self._formats
        before = {**self._before, **keywords}
        return _some(compare(before, self._after, formats_before=was, formats_after=now).lost)

    def of_whole(self, whole: Comparison) -> Iterator[Change]:
        if whole.lost.verdict is not Verdict.NONE and self._loses():
            yield from self._narrowed(whole.lost)
        elif whole.gained.verdict is not Verdict.NONE and self._gains():
            yield self._change("WIRE208", "the args accept more values", None, whole.gained)

    def _narrowed(self, lost: Direction) -> Iterator[Change]:
        if lost.verdict is Verdict.FOUND:
            yield self._change("WIRE204", "the args accept fewer values", None, lost)
        else:
            yield self._undecided(lost)

    def _undecided(self, lost: Direction, name: str | None = None) -> Change:
        what = "the args accept" if name is None else f"the arg `{name}` accepts"
        return self._change("WIRE205", f"it is undecided whether {what} every value that was valid", name, lost)

    def _harms(self) -> bool:
        return self._loses()


class _Result(_Side):
    harmful = frozenset({"WIRE301", "WIRE302", "WIRE303", "WIRE304", "WIRE305", "WIRE306"})

    def __init__(
        self, subject: str, path: Path, before: Any, after: Any, whole: Comparison | None, formats: tuple[bool, bool]
    ) -> None:
        super().__init__(subject, path, before, after, whole, formats)
        self._added = set(_properties(after)) - set(_properties(before))

    def of_field(self, name: str, cause: Cause) -> Iterator[Change]:
        gained = cause.gained
        match cause.kind:
            case Kind.OPTIONAL if self._gains():
                yield self._change("WIRE301", f"the field `{name}` of the result may be absent", name)
            case Kind.REMOVED if self._gains() and (gained or name in self._required):
                yield self._change("WIRE302", f"the field `{name}` of the result is gone", name)
            case Kind.ADDED if gained and self._gains():
                yield self._change("WIRE303", f"the result has a new field `{name}`", name)
            case Kind.ADDED:
                yield self._change("WIRE308", f"the result declares a field `{name}`", name)
            case Kind.CHANGED if gained and self._gains():
                if gained.verdict is Verdict.FOUND:
                    yield self._change("WIRE304", f"the field `{name}` of the result has new values", name, gained)
                else:
                    yield self._undecided(gained, name)
            case Kind.REQUIRED if name in self._added:
                return  # told as added
            case Kind.CHANGED | Kind.REQUIRED | Kind.REMOVED if self._loses() and (
                cause.lost or cause.kind is Kind.REQUIRED
            ):
                yield self._change("WIRE307", f"the field `{name}` of the result has fewer possible values", name)
            case _:
                return

    def of_others(self, cause: Cause) -> Iterator[Change]:
        gained = cause.gained
        if cause.kind is Kind.OTHERS and gained and gained.verdict is Verdict.FOUND:
            yield self._change("WIRE305", "the result may have keys that no field names, with new values")
        else:
            yield from super().of_others(cause)

    def of_whole(self, whole: Comparison) -> Iterator[Change]:
        if whole.gained.verdict is Verdict.FOUND and self._gains():
            yield self._change("WIRE305", "the result has new values", None, whole.gained)
        elif whole.gained.verdict is Verdict.UNDECIDED and self._gains():
            yield self._undecided(whole.gained)
        elif whole.lost.verdict is not Verdict.NONE and self._loses():
            yield self._change("WIRE307", "the result has fewer possible values")

    def _undecided(self, gained: Direction, name: str | None = None) -> Change:
        what = "the result" if name is None else f"the field `{name}` of the result"
        return self._change("WIRE306", f"it is undecided whether {what} has new values", name, gained)

    def _harms(self) -> bool:
        return self._gains()


def compare_wire(
    ident: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    *,
    path: Path,
    formats: tuple[bool, bool] = (False, False),
) -> Iterator[Change]:
    """Yield the WIRE changes of a tool that both catalogs have, given as their entries of it."""
    injected = set(after.get("inject", ())) - set(before.get("inject", ()))
    taken = [name for name in injected if name in before["args"].get("properties", {})]
    for name in sorted(taken):
        yield Change(
            code="WIRE206",
            subject=ident,
            message=f"the arg `{name}` is filled by the host now",
            before_path=(*path, "args", "properties", name),
            after_path=(*path, "inject"),
            before=before["args"]["properties"][name],
        )
    args = compare_schemas(ident, "args", before["args"], after["args"], path=path, formats=formats)
    for change in args:
        if not (change.code in _GONE and change.before_path and change.before_path[-1] in taken):
            yield change
    results = (before.get("result", True), after.get("result", True))
    yield from compare_schemas(ident, "result", *results, path=path, formats=formats)


def _renamed(before: Any, after: Any) -> dict[str, str]:
    """Return the new names of args, without ambiguous ones."""
    old, new = (_properties(schema) for schema in (before, after))
    gone = {name: _marks(name, before) for name in old if name not in new}
    come = {name: _marks(name, after) for name in new if name not in old}
    with_mark = _by_mark(gone), _by_mark(come)
    found: dict[str, str] = {}
    for name, marks in gone.items():
        other = _only(marks, with_mark[1])
        if other is not None and _only(come[other], with_mark[0]) is not None:
            found[name] = other
    return found


def _marks(name: str, schema: Any) -> list[tuple[bytes, str]]:
    """Return what an arg and its new name have in common: the schema, and a word unless the schema has a text."""
    own = canonical(_at(schema, ("properties", name)))
    return [(own, "")] if b'"description"' in own else [(own, word) for word in {*map(str.lower, words(name))}]


def _by_mark(args: Mapping[str, Iterable[tuple[bytes, str]]]) -> dict[tuple[bytes, str], list[str]]:
    found = defaultdict[tuple[bytes, str], list[str]](list)
    for name, marks in args.items():
        for mark in marks:
            found[mark].append(name)
    return found


def _only(marks: Iterable[tuple[bytes, str]], by_mark: Mapping[tuple[bytes, str], list[str]]) -> str | None:
    """Return the only arg that has one of these marks; None if there is none, or more than one."""
    found = {name for mark in marks for name in by_mark.get(mark, ())[:2]}
    return found.pop() if len(found) == 1 else None


def _undeclared(before: Any, after: Any, *, accepts_all: bool) -> Iterator[tuple[Path, str]]:
    """Yield the places and names of fields that one schema declares, and the other does not, and still accepts.

    Alternatives are compared by their order. An object inside that declares no fields may take any, as a map does.
    `accepts_all` says that all values that were valid are; else only objects whose fields alone decide are looked at.
    """
    found: list[tuple[Any, Any, Path, str | None]] = [(before, after, (), None)]
    seen = set[tuple[int, int]]()
    while found:
        one, other, inside, name = found.pop()
        one, other = behind(one, before), behind(other, after)
        if not (is_object(one) and is_object(other)) or (id(one), id(other)) in seen:
            continue
        seen.add((id(one), id(other)))
        old, new = one.get("properties"), other.get("properties", None if inside else {})
        if is_object(old) and is_object(new):
            for key in old:
                place, called = (*inside, "properties", key), key if name is None else f"{name}.{key}"
                if key in new:
                    found.append((old[key], new[key], place, called))
                elif _is_open(other) and (accepts_all or is_plain(other)) and not _names(other, key, after):
                    yield place, called
        found.append((one.get("items"), other.get("items"), (*inside, "items"), name))
        for keyword in ("allOf", "anyOf", "oneOf"):
            parts, others = one.get(keyword), other.get(keyword)
            if is_array(parts) and is_array(others) and len(parts) == len(others):
                found += [
                    (*pair, (*inside, keyword, str(number)), name)
                    for number, pair in enumerate(zip(parts, others, strict=True))
                ]


def _is_open(schema: Mapping[str, Any]) -> bool:
    open_by_default = (schema.get(keyword, True) for keyword in ("additionalProperties", "unevaluatedProperties"))
    return all(each is True or each == {} for each in open_by_default) and "patternProperties" not in schema


def _names(schema: Any, name: str, root: Any) -> bool:
    """Return whether a schema, or another that applies to the same object, declares or requires a field."""
    waiting, seen = [schema], set[int]()
    while waiting:
        each = behind(waiting.pop(), root)
        if not is_object(each) or id(each) in seen:
            continue
        seen.add(id(each))
        if name in _properties(each) or name in required_of(each):
            return True
        waiting += [each.get(keyword) for keyword in ("if", "then", "else")]
        for keyword in ("allOf", "anyOf", "oneOf"):
            parts = each.get(keyword)
            waiting += parts if is_array(parts) else ()
        dependent = each.get("dependentSchemas")
        waiting += dependent.values() if is_object(dependent) else ()
    return False


def _at(schema: Any, inside: Path) -> Any:
    for step in inside:
        schema = schema.get(step) if isinstance(schema, dict) else None
    return schema


def _properties(schema: Any) -> Collection[str]:
    """Return the names under `properties`; servers may send anything."""
    found = schema.get("properties") if is_object(schema) else None
    return found if is_object(found) else ()


def _keyword(schema: Any, pointer: str, keyword: str) -> Path:
    """Return the place of a keyword in the part of a schema that a pointer leads to, or of the part without it."""
    steps = _steps(pointer)
    return (*steps, keyword) if keyword and _at(schema, (*steps, keyword)) is not None else steps


def _steps(pointer: str) -> Path:
    return tuple(steps_of(pointer))
