"""Functions: how each candidate appears in a model's code, as it was compiled, or, for other tools, from its schema."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.json_types import is_array, is_object
from toolgen.contract.stub import Parameter, Stub, parameter_names, stub_of
from toolgen.providers.wire_names import python_function_name, wire_name
from toolgen.runtime.errors import CatalogError
from toolgen.runtime.packages import read_package_file
from toolgen.runtime.tool_lines import read_tool_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgen.runtime.presentations.candidates import Candidate, Candidates

_TYPES: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "object": "dict[str, Any]",
    "array": "list[Any]",
}


class CompiledStubs:
    """The `stubs.json` of a generated package: each stub is parsed when it is asked for."""

    def __init__(self, text: bytes = b'{"tools": {}, "types": {}}') -> None:
        """Take the text of the file. Raises ValueError where it is not JSON."""
        document, self._lines = read_tool_lines(text)
        self.types: Mapping[str, str] = document.get("types", {})

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

    def source(self, names: Iterable[str]) -> str:
        """Write the definitions of functions, and of the types that they need, once each."""
        stubs = [self.by_name[name][1] for name in names]
        types = dict.fromkeys(name for stub in stubs for name in stub.types)
        return "".join([*(self._compiled.types[name] for name in types), *(stub.source for stub in stubs)])


def _plain_stub(candidate: Candidate) -> Stub:
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
    others = "" if parameters or candidate.args.get("additionalProperties", True) is False else "Any"
    return stub_of(
        python_function_name(wire_name(candidate.ident)),
        parameters,
        _type_of(candidate.result),
        candidate.description,
        others=others,
    )


def _type_of(schema: Any) -> str:
    """The type of a schema as far as its `type` and `enum` tell it, else `Any`."""
    if not is_object(schema):
        return "Any"
    values = schema.get("enum")
    if is_array(values) and values and all(isinstance(value, str | bool | int | None) for value in values):
        return f"Literal[{', '.join(map(repr, values))}]"
    types = schema.get("type")
    if types == "array" and is_object(schema.get("items")):
        return f"list[{_type_of(schema['items'])}]"
    named = [_TYPES.get(str(name), "Any") for name in (types if is_array(types) else [types])]
    return "Any" if "Any" in named else " | ".join(named)


def _default_of(schema: Mapping[str, Any]) -> str:
    default = schema.get("default", ...)
    return repr(default) if isinstance(default, str | bool | int | None) else "..."
