"""The types of one toolset: every class and alias of its schemas, each created once, with a unique name."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.ir.shapes import (
    AliasType,
    Array,
    ClassRef,
    ClassType,
    Json,
    Literals,
    Map,
    Scalar,
    ScalarKind,
    Shape,
    Union,
    classes_in,
    enums_in,
)
from toolgen.compiler.resolve import keywords
from toolgen.compiler.resolve.names import RESERVED_CLASSES, distinguished
from toolgen.compiler.resolve.shapes.algebra import JSON, bounded, fits, union
from toolgen.compiler.resolve.shapes.reader import Owner, SchemaReader
from toolgen.schema.graph import components
from toolgen.schema.references import at

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.ir.shapes import Field
    from toolgen.compiler.resolve.schemas import Bundle


# Unions for which pydantic would choose a wrong member, or take too long: they become `Json`, which alters nothing.
#
# pydantic tries all members of a union and keeps the best. That takes exponential time if unions are nested, and it
# treats `true` as the literal `1`, so that a member may accept a value of another.

MOST_GUESSES: Final = 1000
"""Maximum number of members tried for one value, including those of nested unions."""

_Pair = tuple[str, str]


def resolve_unions(types: Iterable[ClassType | AliasType]) -> tuple[ClassType | AliasType, ...]:
    """Return the same types, in the same order, with `Json` for every unsupported union."""
    types = tuple(types)
    judge = _Judge({made.name: made for made in types if isinstance(made, ClassType)})
    return tuple(
        judge.classes[made.name] if isinstance(made, ClassType) else replace(made, shape=judge.resolve(made.shape, ""))
        for made in types
    )


class _Judge:
    """Processes classes, nested ones first."""

    def __init__(self, classes: Mapping[str, ClassType]) -> None:
        self.classes = dict(classes)
        self._guesses: dict[str, int] = {}
        below = {
            name: {ref for field in made.fields for ref in classes_in(field.shape)} for name, made in classes.items()
        }
        groups = list(components(below, lambda name: sorted(below[name] & below.keys())))
        self._cyclic = {name for group in groups for name in group if len(group) > 1 or name in below[name]}
        for group in groups:
            for name in group:
                made = self.classes[name]
                shapes = [self.resolve(field.shape, name) for field in made.fields]
                if any(shape is not field.shape for shape, field in zip(shapes, made.fields, strict=True)):
                    fields = zip(made.fields, shapes, strict=True)
                    changed = tuple(replace(field, shape=shape) for field, shape in fields)
                    self.classes[name] = replace(made, fields=changed)
            shapes = [field.shape for name in group for field in self.classes[name].fields]
            self._guesses.update(dict.fromkeys(group, max(map(self._max_attempts, shapes), default=1)))

    def resolve(self, shape: Shape, inside: str) -> Shape:
        """Return the resulting shape of a field of the class `inside`, or of an alias."""
        match shape:
            case Array(items):
                return replace(shape, items=self.resolve(items, inside))
            case Map(values):
                return replace(shape, values=self.resolve(values, inside))
            case Union(members):
                settled = union([self.resolve(member, inside) for member in members])
                if not isinstance(settled, Union):
                    return settled
                if field := self._discriminator(settled):
                    return replace(settled, discriminator=field)
                return JSON if self._is_unsupported(settled, inside) else settled
            case _:
                return shape

    def _discriminator(self, shape: Union) -> str:
        """Return the Python name of a field that discriminates the members, classes or null; empty if there is none.

        Each member has the field, with different literals. An open object could have an extra key with its Python name,
        so there both names of the field must be the same.
        """
        members = [member for member in shape.members if member != Scalar(ScalarKind.NULL)]
        made = [self.classes[member.name] for member in members if isinstance(member, ClassRef)]
        if len(made) < 2 or len(made) < len(members):
            return ""
        fields = [{field.wire: field for field in each.fields} for each in made]
        is_open = any(each.open for each in made)
        for wire, first in fields[0].items():
            same = [each[wire] for each in fields if wire in each]
            words = [word for each in same if isinstance(each.shape, Literals) for word in each.shape.values]
            if (
                len(same) == len(made)
                and all(each.required and isinstance(each.shape, Literals) for each in same)
                and len({each.python for each in same}) == 1
                and all(isinstance(word, str) for word in words)
                and len(set(words)) == len(words)
                and not (is_open and first.python != wire)
            ):
                return first.python
        return ""

    def _is_unsupported(self, shape: Union, inside: str) -> bool:
        compound = [member for member in shape.members if isinstance(member, ClassRef | Array | Map)]
        if len(compound) < 2:
            return False
        if inside in self._cyclic and any(name in self._cyclic for member in compound for name in classes_in(member)):
            return True
        if self._max_attempts(shape) > MOST_GUESSES:
            return True
        return any(self._may_confuse(one, other, set()) for one in compound for other in compound if one is not other)

    def _max_attempts(self, shape: Shape) -> int:
        """Return the maximum number of union members tried for one value of a shape."""
        match shape:
            case Array(inner) | Map(inner):
                return self._max_attempts(inner)
            case Union(members, discriminator):
                return (max if discriminator else sum)(map(self._max_attempts, members))
            case ClassRef(name):
                return self._guesses.get(name, 1)
            case _:
                return 1

    def _may_confuse(self, one: Shape, other: Shape, seen: set[_Pair]) -> bool:
        """Whether `one` has a literal that pydantic confuses with a different value of `other`."""
        match one, other:
            case Literals(values), _:
                return not {0, 1}.isdisjoint(values) and _may_hold_equal(other, one.kind)
            case Union(members), _:
                return any(self._may_confuse(member, other, seen) for member in members)
            case _, Union(members):
                return any(self._may_confuse(one, member, seen) for member in members)
            case (Array(inner), Array(outer)) | (Map(inner), Map(outer)):
                return self._may_confuse(inner, outer, seen)
            case ((Array(inner) | Map(inner)), Json()):
                return self._may_confuse(inner, JSON, seen)
            case Map(values), ClassRef(name):
                made = self.classes[name]
                shapes = [field.shape for field in made.fields]
                return any(
                    self._may_confuse(values, shape, seen) for shape in (*shapes, *([JSON] if made.open else []))
                )
            case ClassRef(name), ClassRef() | Map() | Json():
                return self._class_takes(name, other, seen)
            case _:
                return False

    def _class_takes(self, name: str, other: ClassRef | Map | Json, seen: set[_Pair]) -> bool:
        pair = (name, other.name if isinstance(other, ClassRef) else repr(other))
        if pair in seen:
            return False
        seen.add(pair)
        given: dict[str, Shape] = {}
        rest: Shape | None = JSON
        if isinstance(other, Map):
            rest = other.values
        elif isinstance(other, ClassRef):
            given = {field.wire: field.shape for field in self.classes[other.name].fields}
            rest = JSON if self.classes[other.name].open else None
        return any(
            (shape := given.get(field.wire, rest)) is not None and self._may_confuse(field.shape, shape, seen)
            for field in self.classes[name].fields
        )


def _may_hold_equal(shape: Shape, kind: ScalarKind) -> bool:
    """Whether a shape has booleans and `kind` is numeric, or vice versa."""
    match shape:
        case Json():
            return True
        case Literals():
            return {kind, shape.kind} == {ScalarKind.BOOLEAN, ScalarKind.INTEGER}
        case Scalar(other):
            numbers = (ScalarKind.INTEGER, ScalarKind.NUMBER)
            return other in numbers if kind is ScalarKind.BOOLEAN else other is ScalarKind.BOOLEAN
        case Union(members):
            return any(_may_hold_equal(member, kind) for member in members)
        case _:
            return False


# Defaults of typed values: those that fit the type of their field, and are finite.
#
# A default that is an object may omit fields that have defaults, and so on. If that is recursive, or creates too many
# objects, the field has no default: its value is None if it is absent.

MOST_OBJECTS: Final = 100
"""Maximum number of objects created by one default, including nested defaults."""


def with_defaults_that_end(types: Iterable[ClassType | AliasType]) -> tuple[ClassType | AliasType, ...]:
    """Return the same types, in the same order, without the defaults that typed values cannot have."""
    types = tuple(types)
    classes = {made.name: made for made in types if isinstance(made, ClassType)}
    for name, made in classes.items():
        if not all(_is_typed(field, classes) for field in made.fields):
            fields = (field if _is_typed(field, classes) else _bare(field) for field in made.fields)
            classes[name] = replace(made, fields=tuple(fields))
    endless = _endless(classes)
    for name, made in classes.items() if endless else ():
        fields = (_bare(field) if _key(name, field) in endless else field for field in made.fields)
        classes[name] = replace(made, fields=tuple(fields))
    return tuple(classes[made.name] if isinstance(made, ClassType) else made for made in types)


def _endless(classes: Mapping[str, ClassType]) -> set[str]:
    """Return the defaults that are recursive, or create too many objects."""
    objects = {
        _key(name, field): list(_objects(field.default, field.shape, classes))
        for name, made in classes.items()
        for field in made.fields
        if field.has_default and not field.required
    }
    below = {
        key: {inner for name, absent in made for inner in (_key(name, field) for field in absent)}
        for key, made in objects.items()
    }
    endless: set[str] = set()
    sizes: dict[str, int] = {}
    for group in components(below, lambda key: sorted(below[key] & below.keys())):
        for key in group:
            size = sum(1 + sum(sizes.get(_key(name, field), 0) for field in absent) for name, absent in objects[key])
            if len(group) > 1 or key in below[key] or size > MOST_OBJECTS:
                endless.add(key)
            else:
                sizes[key] = size
    return endless


def _objects(value: Any, shape: Shape, classes: Mapping[str, ClassType]) -> Iterator[tuple[str, list[Field]]]:
    """Return the objects that pydantic may create from a JSON value: their classes, and the fields left to defaults."""
    match shape:
        case Array(items) if isinstance(value, list):
            for item in value:
                yield from _objects(item, items, classes)
        case Map(values) if isinstance(value, dict):
            for item in value.values():
                yield from _objects(item, values, classes)
        case Union(members):
            for member in members:
                yield from _objects(value, member, classes)
        case ClassRef(name) if isinstance(value, dict):
            fields = classes[name].fields
            absent = [field for field in fields if field.wire not in value]
            yield name, [field for field in absent if field.has_default and not field.required]
            for field in fields:
                if field.wire in value:
                    yield from _objects(value[field.wire], field.shape, classes)
        case _:
            pass


def _key(name: str, field: Field) -> str:
    return f"{name}.{field.python}"


def _is_typed(field: Field, classes: Mapping[str, ClassType]) -> bool:
    """Whether a field has no default, or one that fits its type."""
    return not field.has_default or fits(field.default, field.shape, classes)


def _bare(field: Field) -> Field:
    return replace(field, has_default=False, default=None)


class Shapes:
    """The classes of one toolset, or of all shared files, created while schemas are read.

    `types` are the names of the types in its file, `classes` the names reserved for its tools, `module` the module of
    named types, and `shared` has the types of shared files, which a toolset uses. `depth` is the nesting of schemas
    being read, `homes` has the places of named types, `nested` the outer one and the path of those within others, and
    `asked` the names that were looked for among those reserved.
    """

    def __init__(
        self,
        types: Iterable[str],
        classes: Iterable[str],
        sink: Diagnostics,
        *,
        module: str = "shared",
        shared: Shapes | None = None,
    ) -> None:
        self._sink = sink
        self._own = frozenset(types)
        self._reserved = self._own.union(classes)
        self.asked: set[str] = set()
        self._module = module
        self._shared = shared
        self._classes: dict[str, ClassType] = {}
        self._shared_classes: dict[str, ClassType] = {}
        self._aliases: dict[str, AliasType] = {}
        self._shared_aliases: dict[str, AliasType] = {}
        self._types: dict[str, Shape | None] = {}
        self.homes: dict[str, tuple[str, str]] = {}
        self.nested: dict[str, tuple[str, str]] = {}
        self.renamed: set[tuple[str, str]] = set()
        self.depth = 0

    @property
    def types(self) -> tuple[ClassType | AliasType, ...]:
        """All named types so far, including shared ones: classes first, in the order of occurrence."""
        classes = (*self._classes.values(), *self._shared_classes.values())
        aliases = (*self._aliases.values(), *self._shared_aliases.values())
        return with_defaults_that_end(resolve_unions((*classes, *aliases)))

    def side(self, bundle: Bundle, owner: Owner, *, as_class: bool) -> Shape:
        """Return the shape of one side of a tool, with the name `owner.name`.

        With `as_class` the result is a class even without named fields.
        """
        reader = SchemaReader(self, bundle, owner)
        shape = reader.root(as_class=as_class)
        if shape != ClassRef(owner.name):
            self._aliases[owner.name] = AliasType(owner.name, owner.module, shape)
        return shape

    def named_type(self, name: str, bundle: Bundle, span: Span) -> Shape:
        """Return the shape of a type of the spec files, created once: a class, or an alias of its shape."""
        self._check_home(name, bundle, span)
        if name in self._types:
            made = self._types[name]
            return JSON if made is None else made
        if name not in self._own and (name in RESERVED_CLASSES or self._is_taken(name)):
            self._sink.report("TG302", span, f"the type `{name}` would be called like another class of this toolset",
                              fix=f"use it under another name: `types: {{Other{name}: {{$ref: …}}}}`")  # fmt: skip
        if self._shared is not None and (known := self._name_in(self._shared, name, bundle)):
            return self._take(self._shared, known, name, bundle, span)
        owner = Owner(self._module, name, span, {})
        pointer = f"#/{keywords.definitions_keyword(bundle.dialect)}/{name}"
        reader = SchemaReader(self, bundle, owner)
        schema = at(bundle.whole, pointer)
        self._types[name] = ClassRef(name) if reader.is_class(schema) else None
        shape = bounded(reader.shape(schema, name, pointer))
        if shape != ClassRef(name):
            self._aliases[name] = AliasType(name, self._module, shape)
        self._types[name] = shape = replace(shape, name=name) if isinstance(shape, Literals) else shape
        return shape

    def _name_in(self, shared: Shapes, name: str, bundle: Bundle) -> str:
        """Return the name of a type in shared files; empty if they lack it, or if another type has the name here."""
        home = bundle.types.get(name)
        if home is None:
            return ""
        names = (name, *([] if self._is_reserved(home[1]) else [home[1]]))
        return next((each for each in names if shared.offers(each, home)), "")

    def _take(self, shared: Shapes, known: str, name: str, bundle: Bundle, span: Span) -> Shape:
        """Use the type `known` of shared files as `name`, with all types that it needs."""
        self._types[name] = shape = shared.shape_of(known)
        if known != name:
            self._aliases[name] = AliasType(name, self._module, shape)
        pending = {known} | classes_in(shape) | enums_in(shape)
        while pending:
            each = pending.pop()
            if each in self._shared_classes or each in self._shared_aliases:
                continue
            if each in bundle.types:
                self._check_home(each, bundle, span)
            elif each != known and (self._is_reserved(each) or each in self._classes):
                self._sink.report("TG302", span, f"a class of the shared type `{known}` and a class of this toolset "
                                  f"would both be `{each}` in the generated code", fix="rename the type")  # fmt: skip
            if each in shared.aliases:
                self._shared_aliases[each] = shared.aliases[each]
            else:
                self._shared_classes[each] = made = shared.classes[each]
                pending.update(*(classes_in(field.shape) | enums_in(field.shape) for field in made.fields))
        return shape

    def _check_home(self, name: str, bundle: Bundle, span: Span) -> None:
        """Report two types with the same name: the types of a type's file may conflict with local ones."""
        home = bundle.types.get(name, ("", name))
        first = self.homes.setdefault(name, home)
        if first != home:
            self._sink.report(
                "TG302",
                span,
                f"the types `{name}` of {first[0]} and `{name}` of {home[0]} would be one class of this "
                f"{'toolset' if self._module == 'shared' else 'package'}",
                fix="rename one of them",
            )

    def filled_later(self, shape: ClassRef, owner: Owner, wires: Collection[str]) -> ClassRef:
        """Return the class with some fields made optional; a copy for the owner if the class is shared."""
        made = self.classes[shape.name]
        if not any(field.wire in wires for field in made.fields):
            return shape
        fields = tuple(
            replace(field, required=False, has_default=False, default=None) if field.wire in wires else field
            for field in made.fields
        )
        self._aliases.pop(owner.name, None)
        self.add(replace(made, name=owner.name, module=owner.module, fields=fields))
        return ClassRef(owner.name)

    def offers(self, name: str, home: tuple[str, str]) -> bool:
        """Whether the type `name` here is the type of a file and a name there."""
        return self._types.get(name) is not None and self.homes[name] == home

    def shape_of(self, name: str) -> Shape:
        """Return the shape of a named type that was created."""
        return self._types[name] or JSON

    @property
    def aliases(self) -> Mapping[str, AliasType]:
        """The aliases so far, by name, except those of shared types."""
        return self._aliases

    @property
    def classes(self) -> Mapping[str, ClassType]:
        """The classes so far, by name, including those of shared types."""
        return ChainMap(self._classes, self._shared_classes)

    def name_for(self, wanted: str, owner: Owner, path: str) -> str:
        """Return an unused class name.

        Types, tools, and earlier classes take precedence over a class named by a field, and so do the classes that
        others could have: a name belongs to the type, or the side of a tool, whose name is the longest part of it. So
        names do not depend on what other tools look like.
        """
        is_shared = self._shared is not None and wanted in self._shared.classes
        is_free = not (is_shared or self._is_taken(wanted) or self._belongs_to_another(wanted, owner.name))
        name = wanted if wanted == owner.name or is_free else distinguished(wanted, f"{owner.name}{path}")
        self.nested[name] = (owner.name, path)
        if name == wanted:
            return name
        if self._is_taken(name):
            self._sink.report(
                "TG302",
                owner.span,
                f"a class of `{owner.name}` and a type would both be `{name}` in the generated code",
                fix="rename the type",
            )
        return name

    def _belongs_to_another(self, wanted: str, owner: str) -> bool:
        """Whether a type or a side of a tool could name a class so; `owner` is the one that wants to."""
        ends = range(len(owner) + 1, len(wanted))
        return any(not wanted[end].islower() and self._is_reserved(wanted[:end]) for end in ends)

    def _is_taken(self, name: str) -> bool:
        return name in self._classes or name in self._aliases or self._is_reserved(name)

    def _is_reserved(self, name: str) -> bool:
        self.asked.add(name)
        return name in self._reserved

    def add(self, made: ClassType) -> None:
        """Add a class. It is added before its fields are known, so that it can be recursive."""
        self._classes[made.name] = made

    @property
    def sink(self) -> Diagnostics:
        """The sink of findings."""
        return self._sink
