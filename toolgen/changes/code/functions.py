"""Functions that consumers call, and methods that they implement, compared."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from toolgen.changes.change import names
from toolgen.changes.code.types import type_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolgen.changes.code.api import Function, Parameter, Protocol
    from toolgen.changes.code.subtypes import Subtypes


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
