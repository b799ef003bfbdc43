"""The API of a generated package, read from the syntax trees of its modules: nothing of it is executed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from toolgen.changes.code.types import Ref, Type, read_type


@dataclass(frozen=True, slots=True)
class Attribute:
    """A field of a class. `wire` is its name in JSON."""

    name: str
    wire: str
    type: Type
    required: bool


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
    modules = {_module_name(path): Module(_module_name(path), path, text) for path, text in sources.items()}
    packages = {name: dict(_offered(module, modules)) for name, module in modules.items() if module.is_public}
    return Api({name: offered for name, offered in packages.items() if offered}, modules)


class Module:
    """One module: its definitions and imports."""

    def __init__(self, name: str, path: str, text: str) -> None:
        self.name = name
        self.is_package = path.endswith("__init__.py")
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
                yield Attribute(each.target.id, wire, self._type(each.annotation), each.value is None)

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
        if home is None or ref.name in home.items or ref.name not in home.imports:
            break
        ref = home.imports[ref.name]
    return ref
