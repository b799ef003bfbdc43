"""The modules of types: one for each tool, with its call builder, and others for shared types and those of methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.emit.literals import docstring, literal
from toolgen.compiler.emit.python.annotations import CONTRACT, FORMATS, RUNTIME, annotation, checked, names_in
from toolgen.compiler.emit.templates import import_lines, render
from toolgen.compiler.ir.shapes import (
    PACKAGE_MODULE,
    AliasType,
    ClassRef,
    ClassType,
    Literals,
    accepts_null,
    classes_in,
    has_formats,
)

if TYPE_CHECKING:
    from toolgen.compiler.emit.python.models import Model
    from toolgen.compiler.ir.catalog import Tool, Toolset
    from toolgen.compiler.ir.shapes import Field


# Call builders: one function for each tool, with its args as keywords, that creates a request.

_PLAIN: Final = frozenset({
    *("type", "properties", "required", "additionalProperties", "$defs", "definitions", "$schema"),
    *("title", "description", "$comment", "examples", "default", "deprecated", "readOnly", "writeOnly"),
})  # fmt: skip
"""Keywords of an object that do not depend on whether optional fields are given."""


@dataclass(frozen=True, slots=True)
class Builder:
    """The call builder of a tool, as values of a template, and the names in its signature."""

    values: Mapping[str, Any]
    names: frozenset[str]


def _call_builder(tool: Tool, classes: Mapping[str, ClassType]) -> Builder:
    """Return the call builder of a tool. Its args are described by the class of the args, one of `classes`."""
    fields = _fields(tool, classes)
    shown = _shown_defaults(tool, fields)
    parameters = [_parameter(field, is_shown=field.wire in shown) for field in fields]
    text = f"Build a call of `{tool.ident}`. Raises InvalidPayload if the args do not fit the schema."
    values = {
        "function": tool.names.call,
        "ident": literal(tool.ident),
        "parameters": parameters,
        "arguments": f"{{{', '.join(f'{literal(field.wire)}: {field.python}' for field in fields)}}}",
        "defaults": literal(shown) if shown else "",
        "docstring": docstring(text, "    "),
    }
    return Builder(values, frozenset().union(*(names_in(each.partition(":")[2]) for each in parameters)))


def _fields(tool: Tool, classes: Mapping[str, ClassType]) -> list[Field]:
    """Return the args of callers: all except injected ones."""
    shape = tool.args.shape
    fields = classes[shape.name].fields if isinstance(shape, ClassRef) else ()
    given = [field for field in fields if field.wire not in tool.inject]
    return sorted(given, key=lambda field: not field.required)


def _shown_defaults(tool: Tool, fields: Sequence[Field]) -> dict[str, Any]:
    """Return the defaults in the signature, by wire name: immutable ones, such as numbers.

    A builder omits args that equal them. So there are none if other keywords depend on which args are given: exactly
    one of `one_of` must be given, even if it equals its default.
    """
    if not all(keyword in _PLAIN or keyword.startswith("x-") for keyword in tool.args.json):
        return {}
    return {
        field.wire: field.default
        for field in fields
        if field.has_default
        and not field.required
        and isinstance(field.default, str | int | float)
        and not has_formats(field.shape)
    }


def _parameter(field: Field, *, is_shown: bool) -> str:
    kind = annotation(field.shape)
    if field.required:
        return f"{field.python}: {kind}"
    if is_shown:
        return f"{field.python}: {kind} = {literal(field.default)}"
    if not accepts_null(field.shape):
        return f"{field.python}: {kind} | None = None"
    return f"{field.python}: {kind} | Absent = ABSENT"


_ORIGINS: Final = {
    "Annotated": "typing",
    "Literal": "typing",
    "TypeAlias": "typing",
    "Field": "pydantic",
    "JsonValue": "pydantic",
    "ABSENT": CONTRACT,
    "Absent": CONTRACT,
    "TYPE_CHECKING": "typing",
    "codecs": ".",
    **dict.fromkeys(("ClosedModel", "OpenModel", "typed_default", *FORMATS.values()), RUNTIME),
}


def shared_module(package: tuple[str, ...]) -> str:
    """Return the module of the types of shared files, relative to a package."""
    return f"{'.' * (len(package) + 1)}{PACKAGE_MODULE}"


def emit_shared_types(types: Sequence[ClassType | AliasType], models: Mapping[str, Model]) -> str:
    """Return the module of the types of shared files."""
    return _module("Types of shared files, which all toolsets use.", types, models, {}, None)


class ToolsetTypes:
    """The types of a toolset, by module: one for each tool, `shared` and `methods`.

    `named` has each type by name, and `modules` the module of each, relative to the package of the toolset.
    """

    def __init__(self, toolset: Toolset) -> None:
        self.toolset = toolset
        self.named = {made.name: made for made in toolset.types}
        shared = shared_module(toolset.package)
        self.modules = {
            made.name: shared if made.module == PACKAGE_MODULE else f".{made.module}" for made in toolset.types
        }
        self.classes = {name: made for name, made in self.named.items() if isinstance(made, ClassType)}
        self._members: dict[str, list[ClassType | AliasType]] = {}
        for made in toolset.types:
            if made.module != PACKAGE_MODULE:
                self._members.setdefault(made.module, []).append(made)

    def module_of(self, tool: Tool) -> str:
        """Return the module of a tool, by which it is imported from the package."""
        return self.modules[tool.names.args].removeprefix(".")

    def modules_without(self, tools: Iterable[Tool]) -> list[str]:
        """Return the modules that are not those of tools."""
        return sorted(self._members.keys() - {self.module_of(tool) for tool in tools})

    def classes_of(self, modules: Iterable[str]) -> list[ClassType]:
        """Return the classes of some modules."""
        return [made for module in modules for made in self._members[module] if isinstance(made, ClassType)]

    def of_tool(self, tool: Tool, models: Mapping[str, Model]) -> str:
        """Return the module of a tool. `models` has its classes."""
        module, builder = self.module_of(tool), _call_builder(tool, self.classes)
        return _module(f"The tool `{tool.ident}`.", self._members[module], models, self.modules, builder)

    def of_several(self, module: str, models: Mapping[str, Model]) -> str:
        """Return a module that is not that of a tool. `models` has its classes."""
        titles = {
            "shared": f"Types that several tools of `{self.toolset.name}` share.",
            "methods": f"Types of the methods that tools of `{self.toolset.name}` are bound to.",
        }
        return _module(titles[module], self._members[module], models, self.modules, None)


def _module(
    title: str,
    members: Sequence[ClassType | AliasType],
    models: Mapping[str, Model],
    homes: Mapping[str, str],
    builder: Builder | None,
) -> str:
    """Return one module; `homes` are the modules of all types that its members may use."""
    here = {made.name for made in members}
    classes = _dependencies_first([made for made in members if isinstance(made, ClassType)])
    aliases = [made for made in members if isinstance(made, AliasType)]
    # Fields use the aliases of literals, so these precede the classes; other aliases may use classes.
    first = [f"{made.name}: TypeAlias = {checked(made.shape)}" for made in aliases if isinstance(made.shape, Literals)]
    last = [
        f"{made.name}: TypeAlias = {checked(made.shape)}" for made in aliases if not isinstance(made.shape, Literals)
    ]
    parts = [*first, *(models[made.name].source for made in classes), *last]
    used = {name for made in classes for name in models[made.name].names}
    used |= {name for made in aliases for name in ("TypeAlias", *names_in(checked(made.shape)))}
    if builder:
        used |= builder.names | {"TYPE_CHECKING", "codecs"} | ({"ABSENT"} if "Absent" in builder.names else set())
    late = _mentioned_before_defined(classes)
    if late:
        parts.append("\n".join(f"{name}.model_rebuild()" for name in late))
    origins: dict[str, set[str]] = {}
    for name in used - here:
        origin = homes.get(name) or _ORIGINS.get(name)
        if origin is not None:
            origins.setdefault(origin, set()).add(name)
    return render(
        "models.py.jinja",
        {
            "docstring": docstring(title, ""),
            "imports": import_lines(origins),
            "parts": parts,
            "call": builder.values if builder else None,
        },
    )


def _dependencies_first(classes: Sequence[ClassType]) -> list[ClassType]:
    """Return the classes ordered so that each follows those it uses, as far as cycles allow."""
    by_name = {made.name: made for made in classes}
    ordered: dict[str, ClassType] = {}
    for start in classes:
        visiting: set[str] = {start.name}
        stack: list[tuple[ClassType, Iterable[str]]] = [(start, iter(sorted(_named(start))))]
        while stack:
            made, names = stack[-1]
            for name in names:
                if name in by_name and name not in visiting and name not in ordered:
                    visiting.add(name)
                    stack.append((by_name[name], iter(sorted(_named(by_name[name])))))
                    break
            else:
                ordered.setdefault(made.name, made)
                stack.pop()
    return list(ordered.values())


def _mentioned_before_defined(classes: Sequence[ClassType]) -> list[str]:
    """Return the classes that use a later one, so that pydantic must rebuild them at the end."""
    names = [made.name for made in classes]
    return [made.name for index, made in enumerate(classes) if _named(made) & set(names[index + 1 :])]


def _named(made: ClassType) -> set[str]:
    return {name for field in made.fields for name in classes_in(field.shape)}
