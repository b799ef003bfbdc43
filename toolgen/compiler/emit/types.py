"""`models/`: the models of one tool in one module, shared types and those of methods in modules of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.compiler.emit.annotations import annotation, names_in
from toolgen.compiler.emit.literals import docstring
from toolgen.compiler.emit.templates import import_lines, render
from toolgen.compiler.ir.shapes import MODELS, AliasType, ClassType, classes_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgen.compiler.emit.models import Model
    from toolgen.compiler.ir.catalog import Toolset

_ORIGINS: Final = {
    "Annotated": "typing",
    "Literal": "typing",
    "TypeAlias": "typing",
    "Field": "pydantic",
    "JsonValue": "pydantic",
    "ClosedModel": "toolgen.runtime.codec.models",
    "OpenModel": "toolgen.runtime.codec.models",
    "typed_default": "toolgen.runtime.codec.building",
}


def module_of(toolset: Toolset) -> dict[str, str]:
    """The module under `models/` in which each named type of a toolset is defined."""
    return {made.name: made.module for made in toolset.types}


def emit_types(toolset: Toolset, models: Mapping[str, Model]) -> dict[str, str]:
    """The modules of `models/`, by file name. `models` holds each class."""
    modules: dict[str, list[ClassType | AliasType]] = {}
    for made in toolset.types:
        modules.setdefault(made.module, []).append(made)
    homes = module_of(toolset)
    files = {f"{MODELS}/__init__.py": f"{docstring(f'Types of `{toolset.name}`.', '')}\n"}
    titles = {"shared": "Types that several tools share", "methods": "Types of the methods that tools are bound to"}
    titles |= {homes[tool.names.args]: f"Types of the tool `{tool.key}`" for tool in toolset.tools}
    for module, members in sorted(modules.items()):
        title = f"{titles[module]}, in `{toolset.name}`."
        files[f"{MODELS}/{module}.py"] = _module(title, module, members, models, homes)
    return files


def _module(
    title: str,
    module: str,
    members: Sequence[ClassType | AliasType],
    models: Mapping[str, Model],
    homes: Mapping[str, str],
) -> str:
    classes = _dependencies_first([made for made in members if isinstance(made, ClassType)])
    aliases = [made for made in members if isinstance(made, AliasType)]
    parts = [models[made.name].source for made in classes]
    parts += [f"{made.name}: TypeAlias = {annotation(made.shape)}" for made in aliases]
    used = {name for made in classes for name in models[made.name].names}
    used |= {name for made in aliases for name in ("TypeAlias", *names_in(annotation(made.shape)))}
    late = _mentioned_before_defined(classes)
    if late:
        parts.append("\n".join(f"{name}.model_rebuild()" for name in late))
    origins: dict[str, set[str]] = {}
    for name in used:
        if name in _ORIGINS and name not in homes:
            origins.setdefault(_ORIGINS[name], set()).add(name)
        elif homes.get(name, module) != module:
            origins.setdefault(f".{homes[name]}", set()).add(name)
    return render(
        "types.py.jinja",
        {"docstring": docstring(title, ""), "imports": import_lines(origins), "parts": parts},
    )


def _dependencies_first(classes: Sequence[ClassType]) -> list[ClassType]:
    """The classes in an order in which each comes after those it names, as far as cycles allow."""
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
    """Classes that name a later one, so that pydantic must look again once all are there."""
    names = [made.name for made in classes]
    return [made.name for index, made in enumerate(classes) if _named(made) & set(names[index + 1 :])]


def _named(made: ClassType) -> set[str]:
    return {name for field in made.fields for name in classes_in(field.shape)}
