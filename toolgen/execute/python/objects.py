"""Objects that a reference names: which are tools, and which contain them."""

from __future__ import annotations

import inspect
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

from toolgen.execute.python.frameworks import framework_of
from toolgen.execute.python.functions import FunctionTool
from toolgen.runtime.base.errors import CatalogError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.execute.python.references import Objects
    from toolgen.execute.python.tool import PythonTool


def tool_of(value: Any, objects: Objects) -> PythonTool:
    """Return a function, a method or a tool object as a tool. Raises `CatalogError` for anything else."""
    reader = framework_of(value)
    if reader is not None:
        tool: PythonTool = reader(objects.instance(value) if isinstance(value, type) else value)
        return tool
    if not is_function(value):
        kind = f"the class {value.__qualname__}" if isinstance(value, type) else f"a {type(value).__qualname__}"
        raise CatalogError(f"it is {kind}, and a handler is a function, a method or a tool object of a framework")
    return FunctionTool(value)


def is_function(value: Any) -> bool:
    """Return whether a value is a function, a method, or what is made of one by `partial` or a decorator."""
    return inspect.isroutine(value) or isinstance(value, partial) or hasattr(value, "__wrapped__")


def is_app(value: Any) -> bool:
    """Return whether a value is an ASGI app that describes itself in OpenAPI, such as one of FastAPI."""
    return not isinstance(value, type) and callable(value) and callable(getattr(value, "openapi", None))


def members(value: Any) -> Iterator[str]:
    """Return the names of the tools that a module, a class or an object contains, in their order.

    Of a module: its own public functions and its tool objects, or those in `__all__`. Else the public methods of the
    class and of its bases in the same package.
    """
    if isinstance(value, ModuleType):
        public = getattr(value, "__all__", None)
        names = [name for name in vars(value) if not name.startswith("_")] if public is None else list(public)
        for name in names:
            found = getattr(value, name, None)
            is_own = public is not None or getattr(found, "__module__", None) == value.__name__
            is_tool = not isinstance(found, type) and framework_of(found) is not None
            if is_tool or (is_own and is_function(found)):
                yield name
        return
    kind = value if isinstance(value, type) else type(value)
    package = kind.__module__.partition(".")[0]
    own = [base for base in reversed(kind.__mro__) if base.__module__.partition(".")[0] == package]
    for name in dict.fromkeys(name for base in own for name in vars(base) if not name.startswith("_")):
        found = inspect.getattr_static(kind, name)
        if inspect.isfunction(found) or isinstance(found, classmethod | staticmethod):
            yield name


def constructor_problem(kind: type) -> str:
    """Return why an instance of a class cannot be made without args; empty if it can, as far as the signature shows."""
    try:
        inspect.signature(kind).bind()
    except TypeError as error:
        return str(error)
    except ValueError:  # a class in C
        return ""
    return ""
