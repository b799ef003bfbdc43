"""Sources of an import: what a module, a class, an object or a function has that can be a tool."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import CodeType
from typing import TYPE_CHECKING, Any

from toolgen.execute.python.frameworks import framework_of
from toolgen.execute.python.objects import constructor_problem, is_app, is_function, members, tool_of
from toolgen.execute.python.references import Objects, needs_instance
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.catalog.handler_signature import function_of

if TYPE_CHECKING:
    from toolgen.changes.tool_texts import Described
    from toolgen.execute.python.modules import HandlerModules


@dataclass(frozen=True, slots=True)
class SourceLine:
    """Where an object is written: a file, and a line from 1. The file is empty where that is unknown."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Found:
    """A tool of a source. `described` is what it says of itself, or what is wrong with it."""

    reference: str
    described: Described | BaseException
    place: SourceLine


class NoTools(LookupError):
    """Nothing in a source is a tool."""


def app_of(source: str, modules: HandlerModules) -> Any:
    """Return the ASGI app that a source names; None for anything else. Raises as `Objects.find`."""
    found = Objects(are_called=False, modules=modules).find(source) if ":" in source else None
    return found if is_app(found) else None


def description_of(app: Any) -> dict[str, Any]:
    """Return what an app says of itself in OpenAPI."""
    described: dict[str, Any] = app.openapi()
    return described


def text_of(source: str, modules: HandlerModules) -> str:
    """Return what the module or the class of a source says of itself: the first paragraph of its docstring.

    Of a tool, or a container of tools, what its module says.
    """
    module, _, path = source.partition(":")
    objects = Objects(are_called=False, modules=modules)
    found: Any = objects.find(source) if path else objects.module(module)
    if is_function(found) or framework_of(found) is not None or objects.contained(found):
        found = objects.module(module)
    is_owner = inspect.ismodule(found) or inspect.isclass(found)
    docstring: object = found.__doc__ if is_owner else type(found).__doc__
    text = docstring if isinstance(docstring, str) else ""
    return " ".join(inspect.cleandoc(text).split("\n\n")[0].split())


def tools_of(source: str, modules: HandlerModules) -> Iterator[Found]:
    """Return the tools of a source, which may be in `modules`.

    Raises `NoTools`, `NotThere`, `ForeignModule`, and whatever the code raises when it is imported.
    """
    objects = Objects(are_called=False, modules=modules)
    found = objects.find(source)
    if is_function(found) or framework_of(found) is not None:
        owner = objects.find(source.rpartition(".")[0]) if "." in source.partition(":")[2] else None
        yield _found(source, objects, owner)
        return
    try:
        tools = objects.contained(found)
    except CatalogError as error:
        raise NoTools(f"`{source}`: {error}") from error
    if tools:
        for name in tools:
            yield _found(f"{source}.{name}", objects, found)
        return
    is_module = inspect.ismodule(found)
    if not is_module and not isinstance(found, type) and type(found).__module__ == "builtins":
        wanted = "name modules, classes, functions, tool objects and lists of them"
        raise NoTools(f"`{source}` is a {type(found).__name__}: {wanted}")
    names = list(members(found))
    if not names:
        what = "public function" if is_module else "public method"
        raise NoTools(f"`{source}` has no {what} of its own")
    for name in names:
        reference = f"{source}{'.' if ':' in source else ':'}{name}"
        yield _found(reference, objects, found)


def _found(reference: str, objects: Objects, owner: Any) -> Found:
    """Return a tool by its reference. What one object raises is told of it alone."""
    place = SourceLine(getattr(objects.module(reference.partition(":")[0]), "__file__", None) or "", 1)
    try:
        value = objects.find(reference)
        place = _place(value) or place
        if needs_instance(owner, reference.rpartition(".")[2]) and (problem := constructor_problem(owner)):
            raise CatalogError(
                f"an instance of {owner.__name__} cannot be made: {problem}; make one in the module, and import that"
            )
        return Found(reference, _as_json(tool_of(value, objects).describe()), place)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # objects of the project may raise anything, also SystemExit
        return Found(reference, error, place)


def _as_json(described: Described) -> Described:
    """Return a described tool after a check of its schemas, which may be objects of any kind. Raises `CatalogError`."""
    try:
        args, result = (json.loads(json.dumps(each, allow_nan=False)) for each in (described.args, described.result))
    except (TypeError, ValueError, RecursionError) as error:
        raise CatalogError(f"its schema is not JSON: {error}") from error
    return replace(described, args=args, result=result)


def _place(value: Any) -> SourceLine | None:
    """Return where a function is written; None for anything else."""
    code = getattr(function_of(value), "__code__", None) if is_function(value) else None
    return SourceLine(code.co_filename, code.co_firstlineno) if type(code) is CodeType else None
