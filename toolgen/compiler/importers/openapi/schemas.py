"""Schemas of OpenAPI, written as JSON Schema 2020-12.

What only OpenAPI knows is expressed in JSON Schema (`nullable`, bounds of 3.0 that are exclusive, `discriminator`) or
left out (`xml`, `externalDocs`, vendor extensions). Args are without `readOnly` fields, results without `writeOnly`
ones. `oneOf` is `anyOf`: published schemas overlap, and neither a call nor a response is refused for that.

All of this accepts more than what is written. Where a schema refuses what fits another (`not`, `if`, `maxContains`), it
would accept less, so the other is written exactly as it is, or the keyword is left out.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from toolgen.compiler.importers.openapi.files import Fault, Part
from toolgen.compiler.resolve import keywords
from toolgen.compiler.resolve.names import pascal
from toolgen.schema.keywords import (
    IN_PLACE_LIST,
    SCHEMA,
    SCHEMA_LIST,
    SCHEMA_MAP,
    required_of,
    subschemas,
    with_schemas,
)

Side: TypeAlias = Literal["args", "result"]

PREFIX: Final = "#/$defs/"
_LARGEST: Final[dict[Side, int]] = {"args": 300, "result": 50}
"""Definitions that one may lead to. A reference inside a definition to one with more is written as any JSON: in some
published APIs every type leads to almost every other, and each tool would hold the whole API.
"""

_KEPT: Final = keywords.ALL - {
    *("$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor", "$recursiveRef", "$schema"),
    *("$vocabulary", "$defs", "definitions", "id", "examples", "$ref", "nullable"),
}
_AS_WRITTEN: Final = SCHEMA | {"const", "default", "example"}
"""Keywords whose value is a schema, or any JSON; a reference in place of any other value is followed."""

_HIDDEN: Final[dict[Side, str]] = {"args": "readOnly", "result": "writeOnly"}
_NAMES_FIELDS: Final = frozenset({"required", "not", "type", "title", "description"})
_LONGEST_NAME: Final = 60
_MOST_VIEWS: Final = 100
"""Definitions of one schema, each without other fields: a hostile description could ask for any number."""

_IN_PLACE: Final = (*IN_PLACE_LIST, "then", "else", "dependentSchemas")
"""Keywords whose schemas are of the same value, and accept more of them if they do."""

_UNEVALUATED: Final = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_DECIDED: Final = {
    "not": frozenset({"not"}),
    "if": frozenset({"if", "then", "else"}),
    "contains": frozenset({"maxContains"}),
}
"""Keywords whose schema must be written exactly, and those that are left out where it cannot be."""

_DYNAMIC: Final = frozenset({"$dynamicRef", "$recursiveRef"})


@dataclass(frozen=True, slots=True)
class _View:
    """How a schema is written: for a side, without the fields that are hidden from it; or exactly as it is."""

    side: Side
    hidden: frozenset[str] = frozenset()
    is_exact: bool = False

    @property
    def below(self) -> _View:
        """The view of other values, those of fields and items."""
        return replace(self, hidden=frozenset())

    @property
    def exact(self) -> _View:
        """The view of what decides whether another value is refused."""
        return _View(self.side, is_exact=True)


@dataclass(frozen=True, slots=True)
class _Reach:
    """All that a schema leads to: why it cannot be written exactly, and whether that is another text than usual."""

    reason: str
    differs: bool


@dataclass
class Schemas:
    """The schemas of a description. `is_old` is for 2.0 and 3.0, whose schemas are not JSON Schema."""

    is_old: bool
    relaxed: dict[Any, tuple[Part, list[Any]]] = field(default_factory=dict[Any, "tuple[Part, list[Any]]"])
    """Where the args have `anyOf` in place of `oneOf`: the schema, and its alternatives as written."""
    left_out: dict[Any, tuple[Part, str]] = field(default_factory=dict[Any, "tuple[Part, str]"])
    """Where keywords are left out that would refuse more than they say: the schema, and which and why."""
    _names: dict[Any, str] = field(default_factory=dict[Any, str])
    _places: dict[str, tuple[Part, _View]] = field(default_factory=dict[str, "tuple[Part, _View]"])
    _views: Counter[Any] = field(default_factory=Counter[Any])
    _reaches: dict[Any, _Reach] = field(default_factory=dict[Any, "_Reach"])
    _bodies: dict[tuple[str, Side], Any] = field(default_factory=dict[tuple[str, Side], Any])
    _definitions: dict[tuple[str, Side], Any] = field(default_factory=dict[tuple[str, Side], Any])
    _led_to: dict[tuple[str, Side], frozenset[str]] = field(default_factory=dict[tuple[str, Side], "frozenset[str]"])
    _sizes: dict[tuple[str, Side], int] = field(default_factory=dict[tuple[str, Side], int])

    def written(self, part: Part, side: Side) -> Any:
        """Write a schema. References lead to `#/$defs/…`, which `with_definitions` adds. Raises `Fault`."""
        return self._schema(part, _View(side))

    def with_definitions(self, schema: dict[str, Any], side: Side) -> dict[str, Any]:
        """Return the schema with all definitions that it leads to. Raises `Fault`."""
        found: dict[str, Any] = {}
        pending = sorted(set(_references(schema)))
        while pending:
            name = pending.pop()
            if name not in found:
                found[name] = self._definition(name, side)
                pending += sorted(set(_references(found[name])))
        return {**schema, "$defs": dict(sorted(found.items()))} if found else schema

    def is_hidden(self, part: Part, side: Side) -> bool:
        """Whether a field is not for this side."""
        return any(each.flag(_HIDDEN[side]) is True for each in part.hops())

    def layers(self, part: Part) -> list[Part]:
        """Return the schemas that one consists of: itself, and what it refers to. Raises `Fault`.

        Those that say nothing are left out: before OpenAPI 3.1, all that refer.
        """
        return [each for each in part.hops() if each.reference is None or (not self.is_old and self._says(each))]

    def _says(self, part: Part) -> bool:
        """Whether something that matters stands beside a reference."""
        return not part.value.keys().isdisjoint(_KEPT | {"nullable"})

    def _definition(self, name: str, side: Side) -> Any:
        """The body of a definition, with any JSON in place of references to definitions that lead to too many."""
        key = (name, side)
        if key not in self._definitions:
            self._definitions[key] = self._bounded(name, side)
        return self._definitions[key]

    def _bounded(self, name: str, side: Side) -> Any:
        body = self._body(name, side)
        large = {each for each in self._references(name, side) if self._size(each, side) > _LARGEST[side]}
        return _without(body, large) if large else body

    def _body(self, name: str, side: Side) -> Any:
        key = (name, side)
        if key not in self._bodies:
            part, view = self._places[name]
            self._bodies[key] = self._schema(part, replace(view, side=side))
        return self._bodies[key]

    def _references(self, name: str, side: Side) -> frozenset[str]:
        """The definitions that the body of one refers to."""
        key = (name, side)
        if key not in self._led_to:
            self._led_to[key] = frozenset(_references(self._body(name, side)))
        return self._led_to[key]

    def _size(self, name: str, side: Side) -> int:
        """How many schemas of the description one definition leads to; once there are too many, some of them."""
        key = (name, side)
        if key not in self._sizes:
            found: set[str] = set()
            places: set[Any] = set()
            pending = [name]
            while pending and len(places) <= _LARGEST[side]:
                each = pending.pop()
                if each not in found:
                    found.add(each)
                    places.add(self._places[each][0].location)
                    pending += self._references(each, side)
            self._sizes[key] = len(places)
        return self._sizes[key]

    def _name(self, part: Part, view: _View) -> str:
        """The name of the definition at a place: that of its last step, and a digest of the place if it is taken."""
        key = (part.location, view.hidden, view.is_exact)
        if key not in self._names:
            self._views[part.location] += 1
            if self._views[part.location] > _MOST_VIEWS:
                raise Fault("the schema is a part of too many others that each hide other fields", part)
            last = next((str(step) for step in reversed(part.path) if not str(step).isdigit()), "") or _stem(part.file)
            without = f" without {' '.join(sorted(view.hidden))}" if view.hidden else ""
            name = pascal(f"{last.rpartition('/')[2]}{without}{' exact' if view.is_exact else ''}")[:_LONGEST_NAME]
            if name in self._places:
                place = repr(key if view.hidden or view.is_exact else part.location)
                digest = hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()[:6]
                name = f"{name}_{digest}"
            self._names[key], self._places[name] = name, (part, view)
        return self._names[key]

    def _schema(self, part: Part, view: _View) -> Any:
        value = part.value
        if isinstance(value, bool):
            return value
        if value is None:
            return True
        if not isinstance(value, dict):
            raise Fault(f"a schema is an object, and not {value!r:.40}", part)
        return self._keywords(part, view) if part.reference is None else self._reference(part, view)

    def _reference(self, part: Part, view: _View) -> Any:
        """A reference with what may stand beside it: all keywords since 3.1; before, what people mean all the same."""
        last = part.followed()
        if not isinstance(last.value, dict | bool):
            raise Fault(f"`{part.value['$ref']}` leads to no schema", part)
        if isinstance(last.value, bool):
            return last.value
        target = self._target(part)
        if not view.is_exact and not self.is_old:
            view = replace(view, hidden=view.hidden | self._hidden_fields(part, view.side))
        written = {"$ref": f"{PREFIX}{self._name(target, self._view_of(target, view))}"}
        if self.is_old:
            nullable = part.flag("nullable") is True
            described = {"description": part.text("description")} if part.text("description") else {}
            return {"anyOf": [written, {"type": "null"}], **described} if nullable else {**written, **described}
        return {**written, **self._keywords(part, view)}

    def _target(self, part: Part) -> Part:
        """The schema that a reference leads to, past those that say nothing."""
        _, *passed = part.hops()
        return next(each for each in passed if each.reference is None or self._says(each))

    def _view_of(self, target: Part, view: _View) -> _View:
        """The view of a definition: the usual one, unless it would be written otherwise."""
        if view.is_exact:
            return view if self._reach(target, view.side).differs else _View(view.side)
        hidden = view.hidden & _named_fields(target) if view.hidden else view.hidden
        return _View(view.side, hidden - self._hidden_fields(target, view.side) if hidden else hidden)

    def _keywords(self, part: Part, view: _View) -> dict[str, Any]:
        value: dict[str, Any] = part.value
        left_out: frozenset[str] = frozenset()
        if not view.is_exact:
            view = replace(view, hidden=view.hidden | self._hidden_fields(part, view.side))
            left_out = self._left_out(part, view.side)
        made: dict[str, Any] = {}
        for key, inner in part.raw_entries():
            if key in _KEPT and key not in left_out:
                self._keyword(key, inner if key in _AS_WRITTEN else inner.followed(whole=True), made, part, view)
        _check_type(part, made)
        self._bounds(value, made)
        if not view.is_exact:
            self._widen(part, made, view)
        example = (
            value.get("example") if self.is_old else next(iter(_list(value.get("examples"))), value.get("example"))
        )
        if view.side == "args" and isinstance(example, str | int | float) and "enum" not in made:
            made["examples"] = [example]
        return _nullable(made) if self.is_old and value.get("nullable") is True else made

    def _keyword(self, key: str, inner: Part, made: dict[str, Any], part: Part, view: _View) -> None:
        value = inner.value
        if key == "properties" and isinstance(value, dict):
            made[key] = {
                name: self._schema(each, view.below) for name, each in _entries(inner) if name not in view.hidden
            }
        elif key == "required":
            if isinstance(value, list):  # true and false are of draft 3, where a field says it of itself
                names = self._sent(value, part, view)
                made.update({key: list(dict.fromkeys(names))} if names else {})
        elif key == "dependentRequired" and isinstance(value, dict):
            made[key] = {
                name: self._sent(names, part, view) if isinstance(names, list) else names
                for name, names in value.items()
            }
        elif key in SCHEMA_MAP and key != "dependencies":
            below = view if key in _IN_PLACE else view.below
            made[key] = {name: self._schema(each, below) for name, each in _entries(inner)}
        elif key in SCHEMA_LIST and isinstance(value, list):
            below = view if key in _IN_PLACE else view.below
            made[key] = [self._schema(each, below) for each in inner.raw_items()]
            if not made[key]:
                del made[key]
        elif key in SCHEMA:
            is_exact = (
                key in _DECIDED
                and not _DECIDED[key].isdisjoint(part.value)
                and not self._reach(inner, view.side).reason
            )
            below = view if key in _IN_PLACE else view.below
            made[key] = self._schema(inner, view.exact if is_exact else below)
        elif key == "default" and value is None:
            pass  # most write it for no default
        elif key in ("readOnly", "writeOnly", "deprecated", "uniqueItems") and value is False:
            pass
        elif value is not None or key == "const":
            made[key] = value

    def _sent(self, names: list[Any], part: Part, view: _View) -> list[str]:
        """The names of required fields without those that are not for this side, be it in one of the alternatives."""
        hidden = view.hidden if view.is_exact else view.hidden | self._hidden_fields(part, view.side, IN_PLACE_LIST)
        return [name for name in names if isinstance(name, str) and name not in hidden]

    def _left_out(self, part: Part, side: Side) -> frozenset[str]:
        """The keywords that would refuse more than they say, because what decides them cannot be written exactly."""
        found: dict[str, str] = {}
        for key, decided in _DECIDED.items():
            inner = part.raw(key)
            if inner is not None and not part.value.keys().isdisjoint(decided):
                reason = "it is null" if inner.value is None else self._reach(inner, side).reason
                found |= dict.fromkeys(decided, reason) if reason else {}
        if not part.value.keys().isdisjoint(_UNEVALUATED):
            reason = self._reach(part, side).reason
            found |= dict.fromkeys(_UNEVALUATED, reason) if reason else {}
        lost = [key for key in part.value if key in found]
        if lost:
            names = ", ".join(f"`{key}`" for key in lost)
            self.left_out.setdefault(part.location, (part, f"{names} ({found[lost[0]]})"))
        return frozenset(lost)

    def _reach(self, part: Part, side: Side) -> _Reach:
        """What a schema leads to. One that is a reference, and no more, is what it refers to."""
        if part.reference is not None and (self.is_old or not self._says(part)):
            part = self._target(part)
        key = (part.location, side)
        if key not in self._reaches:
            seen: set[Any] = set()
            definitions: set[Any] = {part.location}
            differs, reason, pending = False, "", [part]
            while pending and not reason:
                each = pending.pop()
                if each.location in seen or not isinstance(each.value, dict):
                    continue
                seen.add(each.location)
                differs = differs or _is_changed(each)
                if each.reference is not None:
                    target = self._target(each)
                    definitions.add(target.location)
                    pending.append(target)
                if each.reference is None or not self.is_old:
                    pending += _subschemas(each)
                    reason = next((f"it leads to a `{key}`" for key in each.value if key in _DYNAMIC), "")
                if len(definitions) > _LARGEST[side]:
                    reason = f"it leads to more than {_LARGEST[side]} definitions"
            self._reaches[key] = _Reach(reason, differs)
        return self._reaches[key]

    def _widen(self, part: Part, made: dict[str, Any], view: _View) -> None:
        """Accept what published schemas mean and do not say."""
        if isinstance(part.value.get("discriminator"), dict):
            for key in ("oneOf", "anyOf"):
                if isinstance(made.get(key), list):
                    made[key] = self._discriminated(part, key, made[key], view)
        if isinstance(made.get("oneOf"), list):
            self._relax(part, made, view)
        if made.get("additionalProperties") is False and "patternProperties" not in made:
            self._add_required(made)

    def _relax(self, part: Part, made: dict[str, Any], view: _View) -> None:
        """Write `oneOf` as `anyOf`: published alternatives overlap, and a value that fits two is meant to be valid.

        Exactly one is meant where the alternatives say only which fields are given.
        """
        if view.side == "args" and all(map(_names_fields, made["oneOf"])) and self._are_exact(part, view):
            return
        branches = made.pop("oneOf")
        if view.side == "args":
            self.relaxed.setdefault(part.location, (part, branches))
        if "anyOf" in made:
            made["allOf"] = [*made.get("allOf", []), {"anyOf": branches}]
        else:
            made["anyOf"] = branches

    def _are_exact(self, part: Part, view: _View) -> bool:
        """Whether all alternatives of a schema are written as they are: one that accepts more would refuse others."""
        branches = part.raw_list("oneOf")
        written = (view.hidden.isdisjoint(required_of(each.value)) for each in branches)
        return all(written) and not any(self._reach(each, view.side).reason for each in branches)

    def _add_required(self, made: dict[str, Any]) -> None:
        """Add the fields that a closed object requires and does not have: no value would fit it."""
        missing = [name for name in made.get("required", []) if name not in made.get("properties", {})]
        if missing:
            made["properties"] = {**made.get("properties", {}), **dict.fromkeys(missing, True)}

    def _hidden_fields(self, part: Part, side: Side, keys: Sequence[str] = ("allOf",)) -> frozenset[str]:
        """Names of fields that are not for this side, of a schema and of those that it is composed of."""
        return frozenset(
            name
            for each in _composed(part, keys)
            if (properties := each.mapping("properties")) is not None
            for name, field in _entries(properties)
            if self.is_hidden(field, side)
        )

    def _bounds(self, value: dict[str, Any], made: dict[str, Any]) -> None:
        for exclusive, inclusive in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            flag = value.get(exclusive)
            if isinstance(flag, bool):
                made.pop(exclusive, None)
                if flag and inclusive in made:
                    made[exclusive] = made.pop(inclusive)

    def _discriminated(self, part: Part, key: str, branches: list[Any], view: _View) -> list[Any]:
        """Branches that each require the value of the discriminator, where their schemas do not.

        Their classes are called as their schemas are. A result with another value is reported, and returned as it is.
        """
        name = part.value["discriminator"].get("propertyName")
        mapping = part.value["discriminator"].get("mapping")
        if not isinstance(name, str):
            return branches
        values: dict[Any, list[str]] = {}
        for value, reference in (mapping if isinstance(mapping, dict) else {}).items():
            target = self._mapped(part, reference)
            if target is not None:
                values.setdefault(target.location, []).append(value)
        made: list[Any] = []
        for member, branch in zip(part.raw_list(key), branches, strict=True):
            target = member.followed()
            component = _component(member) if member.reference is not None else ""
            known = values.get(target.location) or ([component] if component else [])
            hidden = view.hidden | self._hidden_fields(member, view.side)
            if not known or name in hidden or _decides(target, name):
                made.append(branch)
            else:
                chosen = {"properties": {name: {"enum": known}}, "required": [name]}
                titled = {"title": component} if component else {}
                made.append({**titled, "allOf": [branch, {"type": "object", **chosen}]})
        return made

    def _mapped(self, part: Part, reference: Any) -> Part | None:
        """The schema that a value of a discriminator is mapped to, by name or by reference; None if there is none."""
        if not isinstance(reference, str):
            return None
        step = reference.replace("~", "~0").replace("/", "~1")
        for owner, target in ((part.files.root, f"#/components/schemas/{step}"), (part, reference)):
            try:
                return owner.files.target(owner, target).followed()
            except Fault:
                continue
        return None


def _component(member: Part) -> str:
    """The name of the schema that a reference leads to: that of a component on the way, if there is one."""
    hops = list(member.hops())[1:]
    named = next((each for each in hops if each.path[-2:-1] in (("schemas",), ("definitions",))), hops[0])
    return str(named.path[-1]) if named.path else _stem(named.file)


def _stem(file: str) -> str:
    """The name of a file without its folder and its ending."""
    name = file.rpartition("/")[2]
    return name.rpartition(".")[0] or name


def _decides(schema: Part, name: str) -> bool:
    """Whether a schema itself says what the value of a field is."""
    seen: set[Any] = set()
    pending = [schema]
    while pending:
        each = pending.pop().followed()
        if each.location in seen:
            continue
        seen.add(each.location)
        field = each.at("properties", name)
        if field is not None and isinstance(field.value, dict) and {"enum", "const"} & field.value.keys():
            return True
        pending += each.raw_list("allOf")
    return False


def _names_fields(branch: Any) -> bool:
    """Whether an alternative says only which fields are given, and nothing of their values."""
    return isinstance(branch, dict) and "required" in branch and branch.keys() <= _NAMES_FIELDS


def _check_type(part: Part, made: dict[str, Any]) -> None:
    """Spell the types that only Swagger has."""
    if made.get("type") == "file":
        made["type"] = "string"
        made.setdefault("format", "binary")


def _nullable(made: dict[str, Any]) -> dict[str, Any]:
    """Let a schema of 3.0 take null."""
    if isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
    elif not {"anyOf", "oneOf", "allOf", "enum", "not"} & made.keys():
        return made
    elif {"anyOf", "oneOf", "allOf", "not"} & made.keys():
        texts: dict[str, Any] = {
            key: made.pop(key) for key in ("title", "description", "default", "deprecated") if key in made
        }
        return {"anyOf": [made, {"type": "null"}], **texts}
    if isinstance(made.get("enum"), list) and None not in made["enum"]:
        made["enum"] = [*made["enum"], None]
    return made


def _references(schema: Any) -> Iterator[str]:
    for _, part in subschemas(schema):
        reference = part.get("$ref")
        if isinstance(reference, str):
            yield reference.removeprefix(PREFIX)


def _without(schema: Any, names: Collection[str]) -> Any:
    """A copy in which references to these definitions are any JSON."""
    if not isinstance(schema, dict):
        return schema
    copy = {key: with_schemas(key, value, lambda each: _without(each, names)) for key, value in schema.items()}
    reference = copy.get("$ref")
    if isinstance(reference, str) and reference.removeprefix(PREFIX) in names:
        del copy["$ref"]
    return copy


def _entries(part: Part) -> list[tuple[str, Part]]:
    """The entries of a map of schemas: a field may be called as it likes, also `x-id`."""
    keys = part.value if isinstance(part.value, dict) else ()
    return [(key, inner) for key in keys if (inner := part.raw(key)) is not None]


def _schemas_of(part: Part, key: str) -> list[Part]:
    """The schemas under a keyword."""
    inner = part.raw(key)
    if inner is None or (key in SCHEMA and not isinstance(inner.value, list)):
        return [] if inner is None else [inner]
    whole = inner.followed(whole=True)
    return [each for _, each in _entries(whole)] if key in SCHEMA_MAP else whole.raw_items()


def _subschemas(part: Part) -> list[Part]:
    """The schemas directly below one."""
    keys = [key for key in part.value if key in _KEPT and key in SCHEMA | SCHEMA_LIST | SCHEMA_MAP]
    return [each for key in keys for each in _schemas_of(part, key)]


def _composed(part: Part, keys: Sequence[str]) -> Iterator[Part]:
    """A schema, those that it refers to, and those of the same value under these keywords. Raises `Fault`."""
    seen: set[Any] = set()
    pending = [part]
    while pending:
        each = pending.pop()
        if each.location in seen or not isinstance(each.value, dict):
            continue
        seen.add(each.location)
        yield each
        pending += list(each.hops())[1:]
        pending += [inner for key in keys if key in each.value for inner in _schemas_of(each, key)]


def _named_fields(part: Part) -> frozenset[str]:
    """Names of the fields that a schema and those that it is composed of describe or require."""
    found: set[str] = set()
    for each in _composed(part, _IN_PLACE):
        properties, needed = each.mapping("properties"), each.mapping("dependentRequired")
        found.update(properties.value if properties is not None else ())
        found.update(required_of(each.value))
        for names in needed.value.values() if needed is not None else ():
            found.update(required_of({"required": names}))
    return frozenset(found)


def _is_changed(part: Part) -> bool:
    """Whether a schema is written otherwise than it is, to accept more."""
    value = part.value
    is_closed = value.get("additionalProperties") is False and "required" in value
    is_hidden = any(part.flag(flag) is True for flag in _HIDDEN.values())
    return is_closed or is_hidden or "oneOf" in value or "discriminator" in value


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
