"""`stubs.json`: every tool of a catalog as a typed Python function, and the shared types, each once."""

from __future__ import annotations

from collections import deque
from itertools import count
from typing import TYPE_CHECKING, Any

from toolgen.providers.stubs.object_types import (
    ObjectType,
    ObjectTypes,
    ToolTypes,
    default_of,
    keys_of,
    object_of,
    placeholder,
)
from toolgen.providers.stubs.schema_types import SchemaTypes, pascal, target_of
from toolgen.providers.stubs.stub import Parameter, parameter_names, python_function_name, stub_of
from toolgen.schema.json_values import compact_json, is_array, is_object
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.providers.stubs.stub import Stub


def write_stubs(tools: Mapping[str, Any], wire_names: Mapping[str, str], mark: str) -> str:
    """Return the stubs of all tools as JSON text: `tools` by ident, and the shared `types` by name.

    `tools` and `wire_names` are those of a `catalog.json`, and `mark` identifies it (`catalog_mark`).
    """
    return write_typed({ident: read_types(ident, tool) for ident, tool in tools.items()}, wire_names, mark)


def write_typed(tools: Mapping[str, ToolTypes], wire_names: Mapping[str, str], mark: str) -> str:
    """Return the stubs of tools whose types were read, as `write_stubs` does."""
    types = ObjectTypes()
    read = {ident: types.add(tool) for ident, tool in sorted(tools.items())}
    functions = {ident: python_function_name(wire_names.get(ident) or wire_name(ident)) for ident in read}
    types.finish(set(functions.values()))
    stubs = {ident: _stub(functions[ident], tool, types) for ident, tool in read.items()}
    used = {name for stub in stubs.values() for name in stub.types}
    sources = {name: source for name, source in types.sources.items() if name in used}
    lines = [f"{compact_json(ident)}:\n{compact_json(_line(stub))}" for ident, stub in stubs.items()]
    listed = "{\n" + ",\n".join(lines) + "\n}" if lines else "{}"
    others = sorted(types.open & used)
    written = f'"types": {compact_json(sources)},\n"open_types": {compact_json(others)}'
    return f'{{\n{mark},\n"tools": {listed},\n{written}\n}}\n'


def _line(stub: Stub) -> dict[str, Any]:
    fields = {name: getattr(stub, name) for name in ("function", "parameters", "source", "types", "open")}
    return {name: value for name, value in fields.items() if value}


def read_types(ident: str, tool: Mapping[str, Any]) -> ToolTypes:
    """Read the schemas of a tool of a `catalog.json`."""
    waiting: deque[tuple[dict[str, Any], str, SchemaTypes]] = deque()
    numbers = count()

    def reader(root: Any) -> SchemaTypes:
        def new_class(schema: dict[str, Any], name: str) -> str:
            waiting.append((schema, name, types))
            return placeholder(next(numbers))

        types = SchemaTypes(root, new_class)
        return types

    named, inject = pascal(ident.rpartition(".")[2]), tool.get("inject", ())
    types = reader(tool["args"])
    root = target_of(tool["args"], tool["args"])
    keys = keys_of(root, f"{named}Args", types) if is_object(root) else ()
    returns = reader(tool["result"]).read(tool["result"], f"{named}Result")
    objects: list[ObjectType] = []
    while waiting:
        schema, name, below = waiting.popleft()
        objects.append(object_of(schema, name, keys_of(schema, name, below)))
    is_open = not is_object(root) or root.get("additionalProperties", True) is not False
    shown = tuple(key for key in keys if key.name not in inject)
    return ToolTypes(tool["description"], shown, returns, is_open, tuple(objects))


def _stub(function: str, tool: ToolTypes, types: ObjectTypes) -> Stub:
    names = parameter_names(key.name for key in tool.keys)
    parameters = [
        Parameter(
            python=names[key.name],
            wire=key.name,
            type=types.written(key.type),
            required=key.is_required,
            default=key.default,
            description=key.note,
        )
        for key in tool.keys
    ]
    used = types.needed([*(key.type for key in tool.keys), tool.returns])
    returns = types.written(tool.returns)
    return stub_of(function, parameters, returns, tool.description, is_open=tool.is_open, types=used)


def plain_stub(ident: str, args: Mapping[str, Any], result: Any, description: str) -> Stub:
    """Return the stub of a tool without a catalog file: from the top level of its schemas, without named types."""
    properties, asked = args.get("properties"), args.get("required")
    offered = {
        name: schema if is_object(schema) else {}
        for name, schema in (properties.items() if is_object(properties) else ())
        if schema is not False
    }
    names, required = parameter_names(offered), asked if is_array(asked) else ()
    types = SchemaTypes(args)
    parameters = [
        Parameter(
            python=names[name],
            wire=name,
            type=types.read(schema),
            required=name in required,
            default=default_of(schema),
            description=str(schema.get("description", "")),
        )
        for name, schema in offered.items()
    ]
    return stub_of(
        python_function_name(wire_name(ident)),
        parameters,
        SchemaTypes(result).read(result),
        description,
        is_open=args.get("additionalProperties", True) is not False,
    )
