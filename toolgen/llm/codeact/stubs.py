"""Functions: how each candidate appears in a model's code, as it was compiled, or, for other tools, from its schema."""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final

from toolgen.llm.sandbox.sandbox_code import UNCHECKED
from toolgen.providers.stub import Parameter, Stub, choice, key_type, parameter_names, python_function_name, stub_of
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.packages import read_package_file
from toolgen.runtime.base.tool_lines import read_tool_lines
from toolgen.schema.json_types import is_array, is_object
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from toolgen.llm.presentations.candidates import Candidates
    from toolgen.providers.messages import OfferedTool

_TYPES: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "object": "dict[str, Any]",
    "array": "list[Any]",
}


_WORD: Final = re.compile(r"\w+")


class CompiledStubs:
    """The `stubs.json` of a generated package: each stub is parsed when it is asked for."""

    def __init__(self, text: bytes = b'{"tools": {}, "types": {}}') -> None:
        """Take the text of the file. Raises ValueError where it is not JSON."""
        document, self._lines = read_tool_lines(text)
        self.types: Mapping[str, str] = document.get("types", {})
        self.open_types = frozenset[str](document.get("open_types", ()))

    def get(self, ident: str) -> Stub | None:
        """Give the stub of a tool; None for one that was not compiled."""
        if ident not in self._lines:
            return None
        line = self._lines[ident]
        return Stub(
            function=line["function"],
            parameters=tuple((python, wire) for python, wire in line.get("parameters", ())),
            source=line["source"],
            types=tuple(line.get("types", ())),
            open=line.get("open", False),
        )


@cache
def read_stubs(package: str) -> CompiledStubs:
    """Read the stubs of a generated package, by its import name. Raises `CatalogError`."""
    try:
        text = read_package_file(package, "stubs.json")
    except (CatalogError, FileNotFoundError):
        raise CatalogError(f"{package!r} has no stubs.json: run `toolgen build`") from None
    except OSError as error:
        raise CatalogError(f"the stubs.json of {package!r} cannot be read: {error.strerror}") from None
    try:
        return CompiledStubs(text)
    except ValueError as error:
        raise CatalogError(f"the stubs.json of {package!r} is damaged: {error}; run `toolgen build`") from None


class Functions:
    """The candidates as functions."""

    def __init__(self, candidates: Candidates, compiled: CompiledStubs) -> None:
        self._candidates = candidates
        self._compiled = compiled

    @cached_property
    def by_name(self) -> Mapping[str, tuple[str, Stub]]:
        """Ident and stub of each function, by its name. Raises `CatalogError` where two have one name."""
        found: dict[str, tuple[str, Stub]] = {}
        for ident in self._candidates:
            stub = self._compiled.get(ident) or _plain_stub(self._candidates[ident])
            other, _ = found.setdefault(stub.function, (ident, stub))
            if other != ident:
                raise CatalogError(f"{other} and {ident} would both be the function {stub.function}")
        return found

    @property
    def types(self) -> Mapping[str, str]:
        """The definitions of the types that functions share, by name."""
        return self._compiled.types

    @property
    def open_types(self) -> Container[str]:
        """The names of types that may have other keys than those they name."""
        return self._compiled.open_types

    def source(self, names: Iterable[str], words: Iterable[str] = (), *, is_checked: bool = False) -> str:
        """Write the definitions of functions, and of the types that they need or that are among words, once each.

        Where they are checked, functions are marked, so that the checker believes them, and types have a form that the
        sandbox can parse: it knows no classes with bases.
        """
        stubs = [self.by_name[name][1] for name in names]
        types = dict.fromkeys(name for stub in stubs for name in stub.types)
        found = [word for word in words if word in self.types]
        while found:
            name = found.pop()
            if name not in types:
                types[name] = None
                found += [word for word in _WORD.findall(self.types[name]) if word in self.types]
        mark = UNCHECKED if is_checked else ""
        return "".join([
            *(_checked(name, self.types[name]) if is_checked else self.types[name] for name in types),
            *(stub.source.replace("\n", f"{mark}\n", 1) for stub in stubs),
        ])  # fmt: skip


def _checked(name: str, source: str) -> str:
    """Write a class of keys as a call. No type in a class has a `#`: what is behind one is a comment."""
    head, *lines = source.removesuffix("\n").split("\n")
    if not head.startswith("class "):
        return source
    keys = [line.partition("  # ")[0].strip().partition(": ") for line in lines]
    fields = ", ".join(f"{key!r}: {key_type(text)}" for key, _, text in keys if text)
    return f"{name} = TypedDict({name!r}, {{{fields}}}{', total=False' if 'total=False' in head else ''})\n"


def _plain_stub(candidate: OfferedTool) -> Stub:
    """The stub of a tool that nobody compiled: what the top level of its schema says."""
    properties: dict[str, Any] = candidate.args.get("properties", {})
    offered = {name: schema if is_object(schema) else {} for name, schema in properties.items() if schema is not False}
    names, required = parameter_names(offered), candidate.args.get("required", ())
    parameters = [
        Parameter(
            python=names[name],
            wire=name,
            type=_type_of(schema),
            required=name in required,
            default=_default_of(schema),
            description=str(schema.get("description", "")),
        )
        for name, schema in offered.items()
    ]
    return stub_of(
        python_function_name(wire_name(candidate.ident)),
        parameters,
        _type_of(candidate.result),
        candidate.description,
        is_open=candidate.args.get("additionalProperties", True) is not False,
    )


def _type_of(schema: Any) -> str:
    """The type of a schema as far as its `type` and `enum` tell it, else `Any`."""
    if not is_object(schema):
        return "Any"
    values = schema.get("enum")
    if is_array(values) and values and all(isinstance(value, str | bool | int | None) for value in values):
        return choice(values, repr)
    types = schema.get("type")
    if types == "array" and is_object(schema.get("items")):
        return f"list[{_type_of(schema['items'])}]"
    named = [_TYPES.get(str(name), "Any") for name in (types if is_array(types) else [types])]
    return "Any" if "Any" in named else " | ".join(named)


def _default_of(schema: Mapping[str, Any]) -> str:
    default = schema.get("default", ...)
    return repr(default) if isinstance(default, str | bool | int | None) else "..."
