"""The Python API of a generated package: what it is, and which changes of it break code that uses it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile, zip_longest
from typing import TYPE_CHECKING, Any, Final, TypeAlias, assert_never

from toolgen.changes.actions import SEARCH, Condition, Routing
from toolgen.changes.rules import HANDLER_ADDED, LONGEST, Change, names
from toolgen.spec.text import cut
from toolgen.spec.wire_names import words

if TYPE_CHECKING:
    from toolgen.changes.rules import Path


@dataclass(frozen=True, slots=True)
class Named:
    """A type by its name, with its arguments: `str`, `list[str]`, `Codec[FindArgs]`."""

    name: str
    args: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class Ref:
    """A class or an alias of the package, by the path of its module and its name."""

    module: str
    name: str


@dataclass(frozen=True, slots=True)
class Value:
    """A literal type of one value; `kind` tells `1` from `True`, which are equal."""

    kind: str
    value: str | int | bool


@dataclass(frozen=True, slots=True)
class Union:
    """One of several types; flat."""

    members: frozenset[Type]

    @property
    def values(self) -> frozenset[Type]:
        """The members that are single values, such as those of an enum."""
        return frozenset(each for each in self.members if isinstance(each, Value))


Type: TypeAlias = "Named | Ref | Value | Union"
Resolve: TypeAlias = "Callable[[str], Ref | None]"
"""Finds what a name of a module refers to in the package; None for names from elsewhere."""

NONE = Named("None")
FLOAT = Union(frozenset({Named("int"), Named("float")}))
"""What type checkers take `float` for."""

_TRANSPARENT = frozenset({"Annotated", "Final"})


def read_type(node: ast.expr | None, resolve: Resolve) -> Type:
    """Return the type of an annotation; an absent one is `Any`."""
    match node:
        case None:
            return Named("Any")
        case ast.Constant(value=None):
            return NONE
        case ast.Constant(value=str(text)):
            return read_type(ast.parse(text, mode="eval").body, resolve)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return union((read_type(left, resolve), read_type(right, resolve)))
        case ast.Subscript(value=ast.Name(id=name), slice=inner) if name in _TRANSPARENT:
            first = inner.elts[0] if isinstance(inner, ast.Tuple) else inner
            return read_type(first, resolve)
        case ast.Subscript(value=ast.Name(id="Literal"), slice=inner):
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return union(map(_value, parts))
        case ast.Subscript(value=base, slice=inner):
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return Named(ast.unparse(base), tuple(read_type(each, resolve) for each in parts))
        case ast.List(elts=parts):
            return Named("[]", tuple(read_type(each, resolve) for each in parts))
        case ast.Name(id=name):
            return FLOAT if name == "float" else resolve(name) or Named(name)
        case _:
            return Named(ast.unparse(node))


def union(parts: Iterable[Type]) -> Type:
    """Return the union of types; of one, that type."""
    members = frozenset[Type]().union(*(each.members if isinstance(each, Union) else {each} for each in parts))
    return next(iter(members)) if len(members) == 1 else Union(members)


def type_text(kind: Type) -> str:
    """Return a type as it is written; members of unions are sorted."""
    match kind:
        case Ref(_, name):
            return name
        case Value(_, value):
            return f"Literal[{value!r}]"
        case Union(members):
            if kind == FLOAT:
                return "float"
            values = sorted(repr(each.value) for each in members if isinstance(each, Value))
            others = sorted(type_text(each) for each in members if not isinstance(each, Value) and each != NONE)
            listed = [*([f"Literal[{', '.join(values)}]"] if values else []), *others]
            return " | ".join([*listed, *(["None"] if NONE in members else [])])
        case Named("[]", args):
            return f"[{', '.join(map(type_text, args))}]"
        case Named(name, args):
            return f"{name}[{', '.join(map(type_text, args))}]" if args else name


def _value(node: ast.expr) -> Value:
    value = ast.literal_eval(node)
    return Value(type(value).__name__, value)


# The API of a generated package, read from the syntax trees of its modules: nothing of it is executed.


@dataclass(frozen=True, slots=True)
class Attribute:
    """A field of a class. `wire` is its name in JSON; `default` its value where it is left out, if it may be."""

    name: str
    wire: str
    type: Type
    default: str | None

    @property
    def required(self) -> bool:
        """Whether constructors need it."""
        return self.default is None


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function. `keyword` tells whether callers give it by its name."""

    name: str
    type: Type
    required: bool
    keyword: bool


@dataclass(frozen=True, slots=True)
class Function:
    """A function, or a method of a protocol, without `self`."""

    parameters: tuple[Parameter, ...]
    returns: Type


@dataclass(frozen=True, slots=True)
class Model:
    """A class of values."""

    attributes: Mapping[str, Attribute]


@dataclass(frozen=True, slots=True)
class Protocol:
    """A class that consumers implement."""

    methods: Mapping[str, Function]


@dataclass(frozen=True, slots=True)
class Alias:
    """A name for a type."""

    type: Type


@dataclass(frozen=True, slots=True)
class Constant:
    """A value with a declared type."""

    type: Type


Item: TypeAlias = "Function | Model | Protocol | Alias | Constant"


@dataclass(frozen=True, slots=True)
class Api:
    """The API of a package. `packages` has the public names of each public module, and where each is defined.

    Modules are named by their path below the package: `shop.tools.orders`; the package itself is the empty name.
    """

    packages: Mapping[str, Mapping[str, Ref]] = field(default_factory=dict[str, "Mapping[str, Ref]"])
    modules: Mapping[str, Module] = field(default_factory=dict[str, "Module"])

    def item(self, ref: Ref) -> Item | None:
        """Return what a name stands for; None if it is not defined there."""
        module = self.modules.get(ref.module)
        return module.items.get(ref.name) if module else None


def read_api(sources: Mapping[str, str]) -> Api:
    """Read the API of a package, or of a part of it, from its sources by path: `shop/tools/orders/__init__.py`.

    Raises SyntaxError for a module that is no Python.
    """
    return _api(sources, frozenset())


def read_apis(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Api, Api]:
    """Read the APIs of two versions, as `read_api` does. Modules that are the same in both are read if they are needed.

    What such a module offers counts as defined there, in both.
    """
    same = frozenset(
        path for path, text in before.items() if after.get(path) == text and not path.endswith("__init__.py")
    )
    return _api(before, same), _api(after, same)


def _api(sources: Mapping[str, str], same: Set[str]) -> Api:
    modules = {
        _module_name(path): Module(_module_name(path), path, text, is_same=path in same)
        for path, text in sources.items()
    }
    packages = {name: dict(_offered(module, modules)) for name, module in modules.items() if module.is_public}
    return Api({name: offered for name, offered in packages.items() if offered}, modules)


class Module:
    """One module: its definitions and imports. `is_same` is whether the other version has the same."""

    def __init__(self, name: str, path: str, text: str, *, is_same: bool = False) -> None:
        self.name = name
        self.is_package = path.endswith("__init__.py")
        self.is_same = is_same
        self._text = text

    @property
    def is_public(self) -> bool:
        """Whether consumers import from it: packages below the root, types of shared files, and action catalogs."""
        if not self.name:
            return False
        folder = self.name.rpartition(".")[0]
        return self.is_package or not folder or folder == "catalogs"

    @cached_property
    def imports(self) -> Mapping[str, Ref]:
        """The names that are imported from modules of the package, those for type checkers among them."""
        found: dict[str, Ref] = {}
        for node in self._statements():
            if isinstance(node, ast.ImportFrom) and node.level:
                home = self._relative(node)
                found.update({each.asname or each.name: Ref(home, each.name) for each in node.names})
        return found

    @cached_property
    def offers(self) -> list[str]:
        """The names that the module offers: what it defines, and what a package imports to export it."""
        imported: list[str] = []
        for node in self._statements():
            if isinstance(node, ast.ImportFrom) and node.level:
                imported += [each.name for each in node.names if each.asname == each.name]
        return [*imported, *(name for name in self.items if not name.startswith("_"))]

    @cached_property
    def items(self) -> Mapping[str, Item]:
        """The definitions of the module."""
        return dict(self._items())

    def _items(self) -> Iterator[tuple[str, Item]]:
        for node in self._statements():
            match node:
                case ast.ClassDef(name=name, bases=[ast.Name(id="Protocol")]):
                    methods = {each.name: self._function(each, 1) for each in _functions(node)}
                    yield name, Protocol(methods)
                case ast.ClassDef(name=name):
                    yield name, Model({each.name: each for each in self._attributes(node)})
                case ast.FunctionDef(name=name):
                    yield name, self._function(node, 0)
                case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias"), value=value):
                    yield name, Alias(self._type(value))
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                    yield name, Constant(self._type(annotation))
                case _:
                    continue

    def _attributes(self, node: ast.ClassDef) -> Iterator[Attribute]:
        for each in node.body:
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                wire = _alias(each.annotation) or each.target.id
                default = _default(each.value) if each.value else None
                yield Attribute(each.target.id, wire, self._type(each.annotation), default)

    def _function(self, node: ast.FunctionDef, skipped: int) -> Function:
        args = node.args
        positional = [*args.posonlyargs, *args.args]
        without = len(positional) - len(args.defaults)
        found = [
            Parameter(each.arg, self._type(each.annotation), number < without, number >= len(args.posonlyargs))
            for number, each in enumerate(positional)
        ][skipped:]
        for each, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            found.append(Parameter(each.arg, self._type(each.annotation), default is None, keyword=True))
        return Function(tuple(found), self._type(node.returns))

    def _type(self, node: ast.expr | None) -> Type:
        return read_type(node, self._resolve)

    def _resolve(self, name: str) -> Ref | None:
        if name in self._defined:
            return Ref(self.name, name)
        return self.imports.get(name)

    @cached_property
    def _defined(self) -> frozenset[str]:
        """The classes and aliases of the module."""
        body = self.tree.body
        classes = {each.name for each in body if isinstance(each, ast.ClassDef)}
        return frozenset(classes) | {
            each.target.id
            for each in body
            if isinstance(each, ast.AnnAssign)
            and isinstance(each.target, ast.Name)
            and isinstance(each.annotation, ast.Name)
            and each.annotation.id == "TypeAlias"
        }

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree."""
        return ast.parse(self._text)

    def _statements(self) -> Iterator[ast.stmt]:
        for node in self.tree.body:
            if isinstance(node, ast.If):
                yield from node.body
            else:
                yield node

    def _relative(self, node: ast.ImportFrom) -> str:
        parts = self.name.split(".") if self.name else []
        up = node.level - (1 if self.is_package else 0)
        return ".".join([*parts[: len(parts) - up], *([node.module] if node.module else [])])


def _module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("__init__").strip("/").replace("/", ".")


def _functions(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    yield from (each for each in node.body if isinstance(each, ast.FunctionDef))


def _alias(annotation: ast.expr) -> str:
    """Return the name in JSON that an annotation gives a field; empty if it gives none."""
    if not (isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple)):
        return ""
    for call in annotation.slice.elts[1:]:
        for keyword in call.keywords if isinstance(call, ast.Call) else ():
            if keyword.arg == "alias" and isinstance(keyword.value, ast.Constant):
                return str(keyword.value.value)
    return ""


def _default(value: ast.expr) -> str:
    """Return the value that a field has where it is left out, without its type.

    Lists and typed values are made by a factory: `list[int]`, or a function that calls `typed_default`.
    """
    match value:
        case ast.Call(func=ast.Name(id="Field"), keywords=[ast.keyword(value=ast.Lambda(body=made) | made)]):
            return ast.unparse(made.args[1]) if isinstance(made, ast.Call) and made.args else "[]"
        case _:
            return ast.unparse(value)


def _offered(module: Module, modules: Mapping[str, Module]) -> Iterator[tuple[str, Ref]]:
    for name in module.offers:
        yield name, _definition(module, name, modules)


def _definition(module: Module, name: str, modules: Mapping[str, Module]) -> Ref:
    """Return where a name is defined, through the packages that export it."""
    seen = set[Ref]()
    ref = Ref(module.name, name)
    while ref not in seen:
        seen.add(ref)
        home = modules.get(ref.module)
        if (
            home is None
            or (home.is_same and home is not module)
            or ref.name in home.items
            or ref.name not in home.imports
        ):
            break
        ref = home.imports[ref.name]
    return ref


# Comparison of the APIs of two versions of a package: what breaks code that uses the old one.

# Routing: what generated modules of action catalogs say of their actions and of what is visible.

_DEFAULT_CHANGED: Final = "CODE209"
_RULES: Final = ("OPERATION_RULES", "RESOURCE_RULES")
_CATALOGS: Final = "catalogs."


def routing_of(api: Api) -> dict[str, Routing]:
    """Return the routing of each action catalog, by module."""
    return {
        name.removeprefix(_CATALOGS): _routing(module.tree)
        for name, module in api.modules.items()
        if name.startswith(_CATALOGS)
    }


def _routing(tree: ast.Module) -> Routing:
    tests = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    rules: dict[str, str] = {}
    conditions: dict[str, Condition] = {}
    for node in tree.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict(keys=keys, values=values)):
                for key, value in zip(keys, values, strict=True):
                    if not (isinstance(key, ast.Constant) and isinstance(value, ast.Call)):
                        continue
                    if name in _RULES:  # the first argument is the target, which the catalog has too
                        rules[str(key.value)] = ast.unparse(value.args[-1])
                    elif name == "VISIBILITY":
                        conditions[str(key.value)] = _condition(value, tests)
            case ast.AnnAssign(target=ast.Name(id="SEARCH"), value=ast.Call() as value):
                conditions[SEARCH] = _condition(value, tests)
            case _:
                continue
    return Routing(rules, conditions)


def _condition(visibility: ast.Call, tests: Mapping[str, ast.FunctionDef]) -> Condition:
    """Read a condition, as far as it is of the form that the compiler writes."""
    match visibility.args:
        case [ast.Constant(value=str(setting)), ast.Name(id=name)] if name in tests:
            pass
        case _:
            return Condition(ast.unparse(visibility), is_read=False)
    match tests[name].body[-1]:
        case ast.Return(value=ast.Call(func=ast.Name(id="bool")) as value):
            return Condition(f"{setting}: {ast.unparse(value)}", setting)
        case ast.Return(
            value=ast.BoolOp(
                op=ast.And(),
                values=[
                    ast.Call(func=ast.Name(id="bool")),
                    ast.Compare(ops=[ast.In() | ast.NotIn() as operator], comparators=[ast.List(elts=listed)]),
                ],
            ) as value
        ) if all(isinstance(each, ast.Constant) for each in listed):
            values = frozenset(str(ast.literal_eval(each)) for each in listed)
            among, except_ = (values, frozenset[str]()) if isinstance(operator, ast.In) else (None, values)
            return Condition(f"{setting}: {ast.unparse(value)}", setting, among, except_)
        case other:
            return Condition(f"{setting}: {ast.unparse(other)}", is_read=False)


# Subtypes: whether every value of an old type is one of a new type, as type checkers decide it.

_JSON: Final = Named("JsonValue")
_JSON_VALUES: Final = union((
    *map(Named, ("str", "int", "float", "bool", "None")),
    Named("list", (_JSON,)),
    Named("dict", (Named("str"), _JSON)),
))  # fmt: skip
"""What `JsonValue` of pydantic is."""

_BASES: Final = {
    "bool": "int",
    "FormattedDateTime": "FormattedDate",
}
"""Classes whose values are also values of another: a datetime is a date."""

_COVARIANT: Final = frozenset({"tuple", "Awaitable", "Returns", "Mapping", "Sequence"})
_BOTH: Final = union((Value("bool", value=True), Value("bool", value=False)))


@dataclass(frozen=True, slots=True)
class Subtypes:
    """Compares types of two versions of a package. `same` are the definitions that a public name has in both."""

    before: Api
    after: Api
    same: Set[tuple[Ref, Ref]]
    _known: dict[tuple[Type, Type, bool], bool] = field(
        default_factory=dict[tuple["Type", "Type", bool], bool], repr=False, compare=False
    )

    def are_equal(self, old: Type, new: Type) -> bool:
        """Return whether a value of either type can be used as one of the other."""
        return self.accepts(old, new) and self.gives(old, new)

    def accepts(self, old: Type, new: Type) -> bool:
        """Return whether code may pass a value of the old type where the new one is declared."""
        return self._is_subtype(old, new, is_old_first=True)

    def gives(self, old: Type, new: Type) -> bool:
        """Return whether code may read a value of the new type as one of the old type."""
        return self._is_subtype(new, old, is_old_first=False)

    def _is_subtype(self, one: Type, other: Type, *, is_old_first: bool) -> bool:
        """Compare each pair of types once: arguments are compared in both directions, at each level.

        A type that refers to itself is a subtype if nothing else in it says otherwise. Where something does, what was
        found on that assumption is forgotten.
        """
        pair = (one, other, is_old_first)
        if pair in self._known:
            return self._known[pair]
        self._known[pair] = True
        found = self._is_new_subtype(one, other, is_old_first=is_old_first)
        if not found:
            since = list(takewhile(lambda each: each != pair, reversed(self._known)))
            for each in since:
                if self._known[each]:
                    del self._known[each]
            self._known[pair] = False
        return found

    def _is_new_subtype(self, one: Type, other: Type, *, is_old_first: bool) -> bool:
        if self._are_same(one, other, is_old_first=is_old_first):
            return True
        one, other = self._expanded(one, is_old=is_old_first), self._expanded(other, is_old=not is_old_first)
        if one == Named("Any"):
            return True
        if isinstance(one, Union):
            values = other.values if isinstance(other, Union) else frozenset[Type]()
            return all(self._is_subtype(each, other, is_old_first=is_old_first) for each in one.members - values)
        if one == _JSON and other != _JSON:
            return self._is_subtype(_JSON_VALUES, other, is_old_first=is_old_first)
        if other == _JSON and one != _JSON:
            return self._is_subtype(one, _JSON_VALUES, is_old_first=is_old_first)
        if isinstance(other, Union):
            values = other.values
            return (
                one in values
                or any(self._is_subtype(one, each, is_old_first=is_old_first) for each in other.members - values)
                or (one == Named("bool") and isinstance(_BOTH, Union) and _BOTH.members <= values)
            )
        match one, other:
            case Value(kind, _), Named(name):
                return self._is_subtype(Named(kind), Named(name), is_old_first=is_old_first)
            case _, Named("Any" | "object"):
                return True
            case Named(name, first), Named(other_name, second) if name == other_name and len(first) == len(second):
                return self._are_arguments(name, first, second, is_old_first=is_old_first)
            case Named(name, ()), Named(other_name, ()) if name in _BASES:
                return self._is_subtype(Named(_BASES[name]), Named(other_name), is_old_first=is_old_first)
            case _:
                return bool(one == other and not isinstance(one, Ref))

    def _are_arguments(
        self, name: str, first: tuple[Type, ...], second: tuple[Type, ...], *, is_old_first: bool
    ) -> bool:
        pairs = list(zip(first, second, strict=True))
        if name in _COVARIANT:
            return all(self._is_subtype(one, other, is_old_first=is_old_first) for one, other in pairs)
        return all(
            self._is_subtype(one, other, is_old_first=is_old_first)
            and self._is_subtype(other, one, is_old_first=not is_old_first)
            for one, other in pairs
        )

    def _are_same(self, one: Type, other: Type, *, is_old_first: bool) -> bool:
        if isinstance(one, Ref) and isinstance(other, Ref):
            return ((one, other) if is_old_first else (other, one)) in self.same
        return one == other and isinstance(one, Value | Named) and (one == NONE or not getattr(one, "args", ()))

    def _expanded(self, kind: Type, *, is_old: bool) -> Type:
        """Return the type that an alias stands for."""
        api = self.before if is_old else self.after
        for _ in range(_LONGEST_CHAIN):
            item = api.item(kind) if isinstance(kind, Ref) else None
            if not isinstance(item, Alias):
                break
            kind = item.type
        if isinstance(kind, Union) and any(isinstance(each, Ref) for each in kind.members):
            return union(
                self._expanded(each, is_old=is_old) if isinstance(each, Ref) else each for each in kind.members
            )
        return kind


_LONGEST_CHAIN: Final = 100


# Functions that consumers call, and methods that they implement, compared.


def compare_functions(old: Function, new: Function, types: Subtypes) -> Iterator[tuple[str, str, str]]:
    """Yield the changes for callers of a function: code, message, parameter."""
    before, after = _parameters(old), _parameters(new)
    for key, parameter in before.items():
        if key in after:
            yield from _parameter(parameter, after[key], types)
        else:
            yield "CODE401", f"the parameter `{parameter.name}` is gone", parameter.name
    for key, parameter in after.items():
        if key not in before:
            code, what = ("CODE402", "must be given") if parameter.required else ("CODE404", "may be given")
            yield code, f"the new parameter `{parameter.name}` {what}", parameter.name
    if not types.gives(old.returns, new.returns):
        yield "CODE406", f"it returns `{type_text(new.returns)}` now, `{type_text(old.returns)}` before", ""


def compare_methods(old: Protocol, new: Protocol, types: Subtypes) -> Iterator[tuple[str, str, str]]:
    """Yield the changes for classes that implement a protocol."""
    added = [name for name in new.methods if name not in old.methods]
    if added:
        yield "CODE501", f"implementations need the method{'s' if len(added) > 1 else ''} {names(added)}", ""
    for name, method in old.methods.items():
        if name in new.methods and not _is_implemented(method, new.methods[name], types):
            yield "CODE502", f"the signature of `{name}` changed", ""


def _parameter(old: Parameter, new: Parameter, types: Subtypes) -> Iterator[tuple[str, str, str]]:
    if not types.accepts(old.type, new.type):
        message = f"`{old.name}` is `{type_text(new.type)}` now, `{type_text(old.type)}` before"
        yield "CODE403", message, old.name
    elif not types.gives(old.type, new.type):
        yield "CODE405", f"`{old.name}` accepts `{type_text(new.type)}` now", old.name
    if new.required and not old.required:
        yield "CODE402", f"the parameter `{old.name}` must be given now", old.name
    elif old.required and not new.required:
        yield "CODE404", f"the parameter `{old.name}` may be left out", old.name


def _is_implemented(old: Function, new: Function, types: Subtypes) -> bool:
    """Return whether a method with the old signature serves callers of the new one."""
    pairs = list(zip_longest(old.parameters, new.parameters))
    return types.accepts(old.returns, new.returns) and all(
        one is not None and other is not None and types.gives(one.type, other.type) for one, other in pairs
    )


def _parameters(function: Function) -> Mapping[str | int, Parameter]:
    """Return the parameters by what callers know them by: their names, or their positions."""
    return {each.name if each.keyword else number: each for number, each in enumerate(function.parameters)}


@dataclass(frozen=True, slots=True)
class Places:
    """Where the parts of an API are in its catalog: the types of tools, and the packages of toolsets and agents."""

    types: Mapping[Ref, Path]
    packages: Mapping[str, Path]

    def of(self, package: str, ref: Ref | None = None) -> Path:
        """Return the place of a definition, or of the package that offers it."""
        found = self.types.get(ref) if ref else None
        return found or self.packages.get(package, ())


@dataclass(frozen=True, slots=True)
class Renamed:
    """A tool with a new ident, as in both catalogs."""

    before: str
    after: str

    def name(self, name: str) -> str:
        """Return the Python name that one of the old tool became; empty if it is not of that tool."""
        old, new = (words(ident.rpartition(".")[2].lower()) for ident in (self.before, self.after))
        for join, spell in (("_", str.lower), ("", str.capitalize), ("_", str.upper)):
            was, now = (join.join(map(spell, each)) for each in (old, new))
            if re.search(rf"(?<![A-Za-z0-9]){re.escape(was)}(?![a-z0-9])", name) and was != now:
                return name.replace(was, now)
        return ""


def compare_apis(
    before: Api,
    after: Api,
    places: tuple[Places, Places],
    renamed: Collection[Renamed] = (),
    hosted: Callable[[str], bool] = lambda package: True,
) -> Iterator[Change]:
    """Yield the changes of an API. What several packages offer is compared once, for the one that defines it.

    What a renamed tool takes with it is at the places of that tool. `hosted` says whether hosts implement the handlers
    of a package.
    """
    yield from _Apis(before, after, places, renamed, hosted).changes()


class _Apis:
    def __init__(
        self,
        before: Api,
        after: Api,
        places: tuple[Places, Places],
        renamed: Collection[Renamed],
        hosted: Callable[[str], bool],
    ) -> None:
        self._before, self._after = before, after
        self._places = places
        self._renamed = renamed
        self._is_hosted = hosted
        common = [(name, offered) for name, offered in before.packages.items() if name in after.packages]
        same = {
            (ref, after.packages[name][each])
            for name, offered in common
            for each, ref in offered.items()
            if each in after.packages[name]
        }
        self._types = Subtypes(before, after, same)
        self._compared = set[tuple[Ref, Ref]]()
        self._gone, self._come = set[Ref](), set[Ref]()

    def changes(self) -> Iterator[Change]:
        for package in sorted(self._before.packages, key=lambda name: (not self._is_home(name), name)):
            yield from self._package(package)
        for package in sorted(self._after.packages.keys() - self._before.packages.keys()):
            yield Change(
                code="CODE103",
                subject=package,
                message="the package is new",
                after_path=self._places[1].of(package),
            )

    def _is_home(self, package: str) -> bool:
        """Return whether a package defines what it offers, rather than offering that of another."""
        return any(ref.module.startswith(package) for ref in self._before.packages[package].values())

    def _package(self, package: str) -> Iterator[Change]:
        old = self._before.packages[package]
        new = self._after.packages.get(package)
        if new is None:
            self._gone.update(old.values())
            yield self._change("CODE101", package, "the package is gone", package)
            return
        gone = {name: ref for name, ref in old.items() if name not in new and ref not in self._gone}
        come = {name: ref for name, ref in new.items() if name not in old and ref not in self._come}
        self._gone.update(gone.values())
        self._come.update(come.values())
        for tool in self._renamed:
            pairs = {name: tool.name(name) for name in gone if tool.name(name) in come}
            if pairs:
                message = f"{names(pairs)} {'are' if len(pairs) > 1 else 'is'} {names(pairs.values())} now"
                yield self._of_renamed("CODE102", package, message, tool)
                gone = {name: ref for name, ref in gone.items() if name not in pairs}
                come = {name: ref for name, ref in come.items() if name not in pairs.values()}
        if gone:
            yield self._change("CODE102", package, f"{names(gone)} {'are' if len(gone) > 1 else 'is'} gone", package)
        if come:
            yield self._change("CODE103", package, f"{names(come)} {'are' if len(come) > 1 else 'is'} new", package)
        common = [
            (name, ref, new[name]) for name, ref in old.items() if name in new and not self._is_same(ref, new[name])
        ]
        told = set[str]()
        for name, one, other in sorted(common, key=lambda each: self._is_function(each[1])):
            if (one, other) not in self._compared:
                self._compared.add((one, other))
                yield from self._pair(package, name, one, other, told)

    def _is_same(self, one: Ref, other: Ref) -> bool:
        """Whether a module that is the same in both versions defines a name. Its types are compared where they are."""
        module = self._before.modules.get(one.module)
        return one == other and module is not None and module.is_same

    def _is_function(self, ref: Ref) -> bool:
        return isinstance(self._before.item(ref), Function)

    def _pair(self, package: str, name: str, one: Ref, other: Ref, told: set[str]) -> Iterator[Change]:
        """Yield the changes of a name; `told` are the attributes whose changes were told for the package.

        The parameters of a call builder are the attributes of its args, so their changes are told once.
        """
        old, new = self._before.item(one), self._after.item(other)
        subject = f"{package}.{name}".lstrip(".")
        if one.module != other.module:
            message = f"the module that defines it is `{other.module}` now"
            yield self._change("CODE105", subject, message, package, (one, other))
        if old is None or new is None:
            return
        if isinstance(old, Protocol) and isinstance(new, Protocol):
            if not self._is_hosted(package):
                return
            for tool in self._renamed:
                if added := [
                    each for each in old.methods if tool.name(each) in new.methods.keys() - old.methods.keys()
                ]:
                    methods = {each: tool.name(each) for each in added}
                    message = f"the method {names(methods)} is {names(methods.values())} now"
                    yield self._of_renamed(HANDLER_ADDED, subject, message, tool)
                    new = Protocol({name: each for name, each in new.methods.items() if name not in methods.values()})
        for code, message, attribute in self._of_items(old, new):
            if _is_builder(name) and attribute in told:
                continue
            if isinstance(old, Model) and isinstance(new, Model) and code != _DEFAULT_CHANGED:
                told |= {attribute, *(each.name for each in new.attributes.values() if code == "CODE202")}
            yield self._change(code, subject, message, package, (one, other), attribute)

    def _of_items(self, old: Item, new: Item) -> Iterator[tuple[str, str, str]]:
        """Yield the changes of a definition: code, message, and the attribute or parameter that it is about."""
        match old:
            case Model() if isinstance(new, Model):
                yield from self._models(old, new)
            case Alias() if isinstance(new, Alias):
                if relation := self._relation(old.type, new.type):
                    yield "CODE301", f"it is {relation[1]}: {_now(old.type, new.type)}", ""
            case Constant() if isinstance(new, Constant):
                if not self._types.are_equal(old.type, new.type):
                    yield "CODE302", f"its type changed: {_now(old.type, new.type)}", ""
            case Function() if isinstance(new, Function):
                yield from compare_functions(old, new, self._types)
            case Protocol() if isinstance(new, Protocol):
                yield from compare_methods(old, new, self._types)
            case Model() | Alias() | Constant() | Function() | Protocol():
                yield "CODE104", f"it was {_kind(old)}, and is {_kind(new)} now", ""
            case _:
                assert_never(old)

    def _models(self, old: Model, new: Model) -> Iterator[tuple[str, str, str]]:
        by_wire = {each.wire: each for each in new.attributes.values()}
        renamed = {
            name: by_wire[each.wire].name
            for name, each in old.attributes.items()
            if name not in new.attributes and each.wire in by_wire
        }
        for name, each in old.attributes.items():
            if name in renamed:
                yield "CODE202", f"the attribute `{name}` is `{renamed[name]}` now", name
            elif name not in new.attributes:
                yield "CODE201", f"the attribute `{name}` is gone", name
            else:
                yield from self._attribute(each, new.attributes[name])
        for name, each in new.attributes.items():
            if name not in old.attributes and name not in renamed.values():
                code, what = ("CODE203", "must be given") if each.required else ("CODE204", "may be given")
                yield code, f"the new attribute `{name}` {what}", name

    def _attribute(self, old: Attribute, new: Attribute) -> Iterator[tuple[str, str, str]]:
        if relation := self._relation(old.type, new.type):
            code, word = relation
            yield code, f"the type of `{old.name}` is {word}: {_now(old.type, new.type)}", old.name
        if new.required and not old.required:
            yield "CODE203", f"the attribute `{old.name}` must be given now", old.name
        elif old.required and not new.required and not relation:
            yield "CODE208", f"the attribute `{old.name}` may be left out", old.name
        if old.default is not None and new.default is not None and old.default != new.default:
            was, now = cut(old.default, LONGEST), cut(new.default, LONGEST)
            yield _DEFAULT_CHANGED, f"`{old.name}` is {now} where it is left out, and was {was}", old.name

    def _relation(self, old: Any, new: Any) -> tuple[str, str] | None:
        match self._types.accepts(old, new), self._types.gives(old, new):
            case True, True:
                return None
            case True, False:
                return "CODE205", "wider"
            case False, True:
                return "CODE206", "narrower"
            case _:
                return "CODE207", "another one"

    def _change(
        self,
        code: str,
        subject: str,
        message: str,
        package: str,
        refs: tuple[Ref, Ref] | tuple[None, None] = (None, None),
        attribute: str = "",
    ) -> Change:
        before = self._place(0, self._before, package, refs[0], attribute)
        after = self._place(1, self._after, package, refs[1], attribute)
        return Change(code=code, subject=subject, message=message, before_path=before, after_path=after)

    def _of_renamed(self, code: str, subject: str, message: str, tool: Renamed) -> Change:
        before, after = ("tools", tool.before), ("tools", tool.after)
        return Change(code=code, subject=subject, message=message, before_path=before, after_path=after)

    def _place(self, side: int, api: Api, package: str, ref: Ref | None, attribute: str) -> Path | None:
        path = self._places[side].of(package, ref)
        item = api.item(ref) if ref else None
        if attribute and isinstance(item, Model) and ref in self._places[side].types:
            if attribute not in item.attributes:
                return None
            return (*path, "properties", item.attributes[attribute].wire)
        return path or None


def _is_builder(name: str) -> bool:
    """Return whether a name is that of a function that builds a call, as the compiler names them."""
    return name.startswith("new_") and name.endswith("_call")


def _now(old: Any, new: Any) -> str:
    return f"`{type_text(old)}` before, `{type_text(new)}` now"


def _kind(item: Item) -> str:
    match item:
        case Model():
            return "a class"
        case Alias():
            return "an alias"
        case Constant():
            return "a constant"
        case Function():
            return "a function"
        case Protocol():
            return "a protocol"
        case _:
            assert_never(item)
