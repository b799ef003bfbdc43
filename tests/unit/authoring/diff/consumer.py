"""A consumer of a generated package: code that uses every name of its API in every position that its types allow.

Classes are constructed with all and with the required attributes, each attribute is read, protocols are implemented,
functions are called with all and with the required arguments, aliases and constants are used as their types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.changes.python_api import FLOAT, NONE, Alias, Constant, Function, Model, Named, Protocol, Ref, Union, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolgen.changes.python_api import Api, Parameter, Type

HEAD = """\
from __future__ import annotations
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal
from pydantic import JsonValue
from toolgen.contract.actions import ActionRule, ActionTables, Visibility
from toolgen.contract.ident import Ident
from toolgen.contract.records import Absent, Returns, ToolCallMeta, ToolExecutor, ToolRequest, ToolsetRegistration
from toolgen.runtime.codec.codecs import Codecs
from toolgen.runtime.codec.formats import FormattedDate, FormattedDateTime, FormattedTime, FormattedUUID
_: Any = (Awaitable, Callable, Mapping, Literal, JsonValue, Ident, Returns, ToolCallMeta, ToolExecutor, ToolRequest)
_ = (Absent, ActionRule, ActionTables, Visibility, ToolsetRegistration, Codecs)
_ = (FormattedDate, FormattedDateTime, FormattedTime, FormattedUUID)
"""


def consumer(api: Api, root: str, packages: Iterable[str]) -> str:
    """Return the module that uses some packages of an API, whose root is imported as `root`."""
    return "\n".join([HEAD, *_Consumer(api, root, packages).lines()]) + "\n"


class _Consumer:
    def __init__(self, api: Api, root: str, packages: Iterable[str]) -> None:
        self._api = api
        self._modules = {name: f"m{number}" for number, name in enumerate(sorted(packages))}
        self._root = root
        self._number = 0
        self._names = {
            ref: f"{self._modules[package]}.{name}"
            for package in self._modules
            for name, ref in api.packages[package].items()
        }

    def lines(self) -> Iterator[str]:
        for package, alias in self._modules.items():
            yield f"import {f'{self._root}.{package}'.rstrip('.')} as {alias}"
        for package, alias in self._modules.items():
            for name, ref in self._api.packages[package].items():
                yield from self._of_name(f"{alias}.{name}", self._api.item(ref))

    def _of_name(self, name: str, item: Any) -> Iterator[str]:
        match item:
            case Model(attributes):
                for each in attributes.values():
                    yield from self._function(f"value: {name}", self._text(each.type), f"value.{each.name}")
                every = list(attributes.values())
                for chosen in (every, [each for each in every if each.required]):
                    given = "".join(f", {each.name}: {self._text(each.type)}" for each in chosen).removeprefix(", ")
                    passed = ", ".join(f"{each.name}={each.name}" for each in chosen)
                    yield from self._function(given, name, f"{name}({passed})")
            case Alias(kind):
                yield from self._function(f"value: {name}", self._text(kind), "value")
                yield from self._function(f"value: {self._text(kind)}", name, "value")
            case Constant(Named("Final" | "Any")) | None:
                yield f"_ = {name}"
            case Constant(kind):
                yield from self._function("", self._text(kind), name)
            case Function(parameters, returns):
                for some in (parameters, [each for each in parameters if each.required]):
                    given = ", ".join(f"{each.name}: {self._text(each.type)}" for each in some)
                    passed = ", ".join(f"{each.name}={each.name}" if each.keyword else each.name for each in some)
                    yield from self._function(given, self._text(returns), f"{name}({passed})")
            case Protocol(methods):
                self._number += 1
                yield f"class Implementation{self._number}:"
                for method, function in methods.items():
                    given, returned = self._signature(function.parameters), self._text(function.returns)
                    yield f"    def {method}(self{given}) -> {returned}:"
                    yield "        raise NotImplementedError"
                yield from ["    pass"] if not methods else []
                yield from self._function("", name, f"Implementation{self._number}()")
            case _:
                raise AssertionError(item)

    def _signature(self, parameters: Iterable[Parameter]) -> str:
        listed = "".join(f", {each.name}: {self._text(each.type)}" for each in parameters)
        return f"{listed}, /" if listed else ""

    def _function(self, given: str, returned: str, value: str) -> Iterator[str]:
        self._number += 1
        yield f"def use{self._number}({given}) -> {returned}:"
        yield f"    return {value}"

    def _text(self, kind: Type) -> str:
        match kind:
            case Ref():
                return self._names[kind]
            case Value(_, value):
                return f"Literal[{value!r}]"
            case Union(members):
                if kind == FLOAT:
                    return "float"
                listed = sorted(self._text(each) for each in members if each != NONE)
                return " | ".join([*listed, *(["None"] if NONE in members else [])])
            case Named("[]", args):
                return f"[{', '.join(map(self._text, args))}]"
            case Named(name, args):
                return f"{name}[{', '.join(map(self._text, args))}]" if args else name
