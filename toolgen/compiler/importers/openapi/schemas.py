"""Schemas of OpenAPI, written as JSON Schema 2020-12.

What only OpenAPI knows is expressed in JSON Schema (`nullable`, bounds of 3.0 that are exclusive, `discriminator`) or
left out (`xml`, `externalDocs`, vendor extensions). Args are without `readOnly` fields, results without `writeOnly`
ones. `oneOf` is `anyOf`: published schemas overlap, and neither a call nor a response is refused for that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from toolgen.compiler.importers.openapi.files import Fault, Part
from toolgen.compiler.resolve import keywords
from toolgen.compiler.resolve.names import pascal
from toolgen.schema.keywords import SCHEMA, SCHEMA_LIST, SCHEMA_MAP, subschemas

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


@dataclass
class Schemas:
    """The schemas of a description. `is_old` is for 2.0 and 3.0, whose schemas are not JSON Schema."""

    is_old: bool
    relaxed: dict[Any, tuple[Part, list[Any]]] = field(default_factory=dict[Any, "tuple[Part, list[Any]]"])
    """Where the args have `anyOf` in place of `oneOf`: the schema, and its alternatives as written."""
    _excludes: int = 0
    _names: dict[Any, str] = field(default_factory=dict[Any, str])
    _places: dict[str, Part] = field(default_factory=dict[str, Part])
    _bodies: dict[tuple[str, Side], Any] = field(default_factory=dict[tuple[str, Side], Any])
    _definitions: dict[tuple[str, Side], Any] = field(default_factory=dict[tuple[str, Side], Any])
    _led_to: dict[tuple[str, Side], frozenset[str]] = field(default_factory=dict[tuple[str, Side], "frozenset[str]"])
    _closures: dict[tuple[str, Side], frozenset[str]] = field(default_factory=dict[tuple[str, Side], "frozenset[str]"])

    def written(self, part: Part, side: Side) -> Any:
        """Write a schema. References lead to `#/$defs/…`, which `with_definitions` adds. Raises `Fault`."""
        return self._schema(part, side, frozenset())

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
        large = {each for each in self._references(name, side) if len(self._closure(each, side)) > _LARGEST[side]}
        return _without(body, large) if large else body

    def _body(self, name: str, side: Side) -> Any:
        key = (name, side)
        if key not in self._bodies:
            self._bodies[key] = self._schema(self._places[name], side, frozenset())
        return self._bodies[key]

    def _references(self, name: str, side: Side) -> frozenset[str]:
        """The definitions that the body of one refers to."""
        key = (name, side)
        if key not in self._led_to:
            self._led_to[key] = frozenset(_references(self._body(name, side)))
        return self._led_to[key]

    def _closure(self, name: str, side: Side) -> frozenset[str]:
        """The definitions that one leads to; once there are too many, some of them."""
        key = (name, side)
        if key not in self._closures:
            found: set[str] = set()
            pending = [name]
            while pending and len(found) <= _LARGEST[side]:
                each = pending.pop()
                if each not in found:
                    found.add(each)
                    pending += self._references(each, side)
            self._closures[key] = frozenset(found)
        return self._closures[key]

    def _name(self, part: Part) -> str:
        """The name of the definition at a place: that of its last step, and a digest of the place if it is taken."""
        location = part.location
        if location not in self._names:
            last = next((str(step) for step in reversed(part.path) if not str(step).isdigit()), "") or _stem(part.file)
            name = pascal(last.rpartition("/")[2])[:_LONGEST_NAME]
            if name in self._places:
                digest = hashlib.sha256(repr(location).encode("utf-8", "surrogatepass")).hexdigest()[:6]
                name = f"{name}_{digest}"
            self._names[location], self._places[name] = name, part
        return self._names[location]

    def _schema(self, part: Part, side: Side, hidden: Collection[str]) -> Any:
        value = part.value
        if isinstance(value, bool):
            return value
        if value is None:
            return True
        if not isinstance(value, dict):
            raise Fault(f"a schema is an object, and not {value!r:.40}", part)
        reference = value.get("$ref")
        if isinstance(reference, str):
            return self._reference(part, side, hidden)
        return self._keywords(part, side, hidden)

    def _reference(self, part: Part, side: Side, hidden: Collection[str]) -> Any:
        """A reference with what may stand beside it: all keywords since 3.1; before, what people mean all the same."""
        last = part.followed()
        if not isinstance(last.value, dict | bool):
            raise Fault(f"`{part.value['$ref']}` leads to no schema", part)
        if isinstance(last.value, bool):
            return last.value
        _, *passed = part.hops()
        target = next(each for each in passed if each.reference is None or self._says(each))
        written = {"$ref": f"{PREFIX}{self._name(target)}"}
        if self.is_old:
            nullable = part.flag("nullable") is True
            described = {"description": part.text("description")} if part.text("description") else {}
            return {"anyOf": [written, {"type": "null"}], **described} if nullable else {**written, **described}
        beside = self._keywords(part, side, hidden)
        return {**written, **beside}

    def _keywords(self, part: Part, side: Side, hidden: Collection[str]) -> dict[str, Any]:
        value: dict[str, Any] = part.value
        hidden = {*hidden, *self._hidden_fields(part, side)}
        made: dict[str, Any] = {}
        for key, inner in part.raw_entries():
            if key in _KEPT:
                self._keyword(key, inner if key in _AS_WRITTEN else inner.followed(whole=True), made, side, hidden)
        _check_type(part, made)
        self._bounds(value, made)
        if isinstance(value.get("discriminator"), dict):
            for key in ("oneOf", "anyOf"):
                if isinstance(made.get(key), list):
                    made[key] = self._discriminated(part, key, made[key])
        if isinstance(made.get("oneOf"), list):
            self._relax(part, made, side)
        if made.get("additionalProperties") is False and "patternProperties" not in made:
            self._add_required(made)
        example = (
            value.get("example") if self.is_old else next(iter(_list(value.get("examples"))), value.get("example"))
        )
        if side == "args" and isinstance(example, str | int | float) and "enum" not in made:
            made["examples"] = [example]
        return _nullable(made) if self.is_old and value.get("nullable") is True else made

    def _keyword(self, key: str, inner: Part, made: dict[str, Any], side: Side, hidden: Collection[str]) -> None:
        value = inner.value
        if key == "properties" and isinstance(value, dict):
            # A field may be called as it likes, also `x-id`.
            fields = ((name, inner.raw(name)) for name in value)
            made[key] = {
                name: self._schema(each, side, frozenset())
                for name, each in fields
                if each is not None and name not in hidden
            }
        elif key == "required":
            if isinstance(value, list):  # true and false are of draft 3, where a field says it of itself
                names = [name for name in value if isinstance(name, str) and name not in hidden]
                made.update({key: list(dict.fromkeys(names))} if names else {})
        elif key in SCHEMA_MAP and key != "dependencies":
            made[key] = {name: self._schema(each, side, frozenset()) for name, each in inner.raw_entries()}
        elif key in SCHEMA_LIST and isinstance(value, list):
            below = hidden if key == "allOf" else frozenset[str]()
            made[key] = [self._schema(each, side, below) for each in inner.raw_items()]
            if not made[key]:
                del made[key]
        elif key in ("not", "if"):
            self._excludes += 1
            made[key] = self._schema(inner, side, frozenset())
            self._excludes -= 1
        elif key in SCHEMA:
            made[key] = self._schema(inner, side, frozenset())
        elif key == "default" and value is None:
            pass  # most write it for no default
        elif key in ("readOnly", "writeOnly", "deprecated", "uniqueItems") and value is False:
            pass
        elif value is not None or key == "const":
            made[key] = value

    def _relax(self, part: Part, made: dict[str, Any], side: Side) -> None:
        """Write `oneOf` as `anyOf`: published alternatives overlap, and a value that fits two is meant to be valid.

        Exactly one is meant where the alternatives say only which fields are given. What is excluded stays as it is.
        """
        if self._excludes or (side == "args" and all(map(_names_fields, made["oneOf"]))):
            return
        branches = made.pop("oneOf")
        if side == "args":
            self.relaxed.setdefault(part.location, (part, branches))
        if "anyOf" in made:
            made["allOf"] = [*made.get("allOf", []), {"anyOf": branches}]
        else:
            made["anyOf"] = branches

    def _add_required(self, made: dict[str, Any]) -> None:
        """Add the fields that a closed object requires and does not have: no value would fit it."""
        missing = [name for name in made.get("required", []) if name not in made.get("properties", {})]
        if missing:
            made["properties"] = {**made.get("properties", {}), **dict.fromkeys(missing, True)}

    def _hidden_fields(self, part: Part, side: Side) -> Iterator[str]:
        """Names of fields that are not for this side, of a schema and of those that it is composed of."""
        seen: set[Any] = set()
        pending = [part]
        while pending:
            each = pending.pop()
            if each.location in seen or not isinstance(each.value, dict):
                continue
            seen.add(each.location)
            pending += list(each.hops())[1:]
            properties = each.mapping("properties")
            for name in properties.value if properties is not None else ():
                field = properties.raw(name) if properties is not None else None
                if field is not None and self.is_hidden(field, side):
                    yield name
            pending += each.raw_list("allOf")

    def _bounds(self, value: dict[str, Any], made: dict[str, Any]) -> None:
        for exclusive, inclusive in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            flag = value.get(exclusive)
            if isinstance(flag, bool):
                made.pop(exclusive, None)
                if flag and inclusive in made:
                    made[exclusive] = made.pop(inclusive)

    def _discriminated(self, part: Part, key: str, branches: list[Any]) -> list[Any]:
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
            if not known or _decides(target, name):
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
    if isinstance(schema, list):
        return [_without(each, names) for each in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {key: _without(value, names) for key, value in schema.items()}
    reference = copy.get("$ref")
    if isinstance(reference, str) and reference.removeprefix(PREFIX) in names:
        del copy["$ref"]
    return copy


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
