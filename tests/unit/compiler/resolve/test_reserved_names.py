"""The reserved names are exactly those that generated code uses where a name of a spec would hide them."""

from __future__ import annotations

import ast
import builtins
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel

from tests.case import CASES
from tests.project.checkout import ROOT
from toolgen.compiler.resolve.names import (
    KEYWORDS,
    RESERVED_CLASSES,
    RESERVED_CONSTANTS,
    RESERVED_FIELDS,
    RESERVED_MODULES,
)
from toolgen.toolsets import generated

if TYPE_CHECKING:
    from collections.abc import Iterator

MODELS: Final = {"ClosedModel", "OpenModel"}
BY_FIELDS: Final = re.compile(r"new_\w+_call|to_method_payload_\w+|to_tool_return_\w+|injections")
"""The functions whose parameters are fields; beside them those of catalogs."""


@cache
def modules() -> dict[str, ast.Module]:
    """Return every generated module of the project and of the cases, by path."""
    folders = [ROOT / "generated", *map(Path, generated.__path__), *sorted(CASES.glob("*/expected"))]
    paths = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def is_for_types(path: str, node: ast.ImportFrom) -> bool:
    """Whether an import is of types of the package, and of what modules of tools offer beside them."""
    module = node.module or ""
    is_of_toolset = node.level == 1 and module not in ("", "transforms") and "/agents/" not in path
    return is_of_toolset or (node.level > 1 and module == "shared_types")


def types_of(path: str, module: ast.Module) -> set[str]:
    """Return the types of the package that a module imports or defines."""
    imported = {
        alias.asname or alias.name
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and is_for_types(path, node)
        for alias in node.names
    }
    made = {node.name for node in module.body if isinstance(node, ast.ClassDef) and MODELS & loaded(*node.bases)}
    aliases = {
        node.target.id
        for node in module.body
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(node.annotation, ast.Name)
        and node.annotation.id == "TypeAlias"
    }
    return imported | made | aliases


def loaded(*nodes: ast.AST | None) -> set[str]:
    """Return the names that are looked up where the nodes stand: not those in a lambda, which looks further out."""
    found: set[str] = set()
    queue = [node for node in nodes if node is not None]
    while queue:
        match queue.pop():
            case ast.Lambda(args=args):
                queue += [*args.defaults, *filter(None, args.kw_defaults)]
            case ast.Name(id=name, ctx=ast.Load()):
                found.add(name)
            case node:
                queue += ast.iter_child_nodes(node)
    return found


def in_classes(module: ast.Module) -> Iterator[str]:
    """Yield the names in the bodies of model classes."""
    for made in module.body:
        if isinstance(made, ast.ClassDef) and MODELS & loaded(*made.bases):
            for node in made.body:
                if isinstance(node, ast.AnnAssign):
                    yield from loaded(node.annotation, node.value)


def in_functions(path: str, module: ast.Module) -> Iterator[str]:
    """Yield the names in the bodies of functions whose parameters are fields, without parameters and variables."""
    for made in module.body:
        if isinstance(made, ast.FunctionDef) and ("/catalogs/" in path or BY_FIELDS.fullmatch(made.name)):
            of_args = made.args
            own = {each.arg for each in (*of_args.posonlyargs, *of_args.args, *of_args.kwonlyargs)}
            own |= {
                node.id for node in ast.walk(made) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
            yield from loaded(*made.body) - own


def bound(path: str, module: ast.Module) -> Iterator[str]:
    """Yield the names that a module of a package binds beside types and idents."""
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and not is_for_types(path, node):
            yield from (alias.asname or alias.name for alias in node.names)
    for node in module.body:
        if isinstance(node, ast.ClassDef) and not MODELS & loaded(*node.bases):
            yield node.name


def attributes_of_models() -> set[str]:
    return {name for name in (*dir(BaseModel), *dir(type(BaseModel))) if name[0] != "_" and hasattr(BaseModel, name)}


def test_the_names_that_fields_may_not_have_are_those_that_they_would_hide() -> None:
    needed: set[str] = set()
    for path, module in modules().items():
        needed |= {*in_classes(module), *in_functions(path, module)} - types_of(path, module)
    attributes = attributes_of_models()
    assert {"str", "Field", "FormattedTime", "codecs", "rebuilt", "keep_unset", "dict", "bool"} <= needed
    assert needed | KEYWORDS | attributes | RESERVED_CONSTANTS == RESERVED_FIELDS
    kept = {name for name in dir(builtins) if name.islower()} - RESERVED_FIELDS
    assert {"id", "type", "filter", "input", "format", "max", "zip", "object", "property", "set", "tuple"} <= kept


def test_the_names_that_types_may_not_have_are_those_of_the_modules_that_name_types() -> None:
    needed: set[str] = set()
    for path, module in modules().items():
        if "/catalogs/" in path or (ast.get_docstring(module) or "").startswith("The root of the package"):
            continue
        needed |= {each for each in bound(path, module) if each[0].isupper()}
    assert needed | KEYWORDS == RESERVED_CLASSES | KEYWORDS
    assert not {"Exception", "Warning", "TimeoutError", "Codec", "Tool"} & RESERVED_CLASSES


def test_the_names_that_idents_may_not_have_are_those_of_the_package_of_their_toolset() -> None:
    packages = {path: module for path, module in modules().items() if "Ident(" in ast.unparse(module)}
    assert packages
    needed = {name for path, module in packages.items() for name in bound(path, module) if name.isupper()}
    assert needed == RESERVED_CONSTANTS


def test_the_modules_of_tools_have_no_name_that_the_package_of_their_toolset_defines_or_offers() -> None:
    needed = {"codecs"}
    for path, module in modules().items():
        if path.endswith("__init__.py") and "class Handlers" in ast.unparse(module):
            needed |= {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
            folder = path.removesuffix("__init__.py")
            inside = {other.removeprefix(folder).removesuffix(".py") for other in modules() if other.startswith(folder)}
            needed |= {name for name in inside if name in ("methods", "shared", "transforms")}
    assert needed | KEYWORDS | {"shared_types"} == RESERVED_MODULES


def test_no_handler_has_a_name_that_its_class_needs() -> None:
    for path, module in modules().items():
        for made in module.body:
            if isinstance(made, ast.ClassDef) and made.name in ("Handlers", "ServiceMethods"):
                signatures = [node.args for node in made.body if isinstance(node, ast.FunctionDef)]
                results = [node.returns for node in made.body if isinstance(node, ast.FunctionDef)]
                assert all(name[0].isupper() for name in loaded(*signatures, *results)), path
