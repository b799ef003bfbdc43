"""`stubs.json`: every tool of a catalog as a typed Python function, and the shared types, each once."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.providers.stubs.object_types import ObjectTypes, placeholder
from toolgen.providers.stubs.schema_types import SchemaTypes, pascal, target_of
from toolgen.providers.stubs.stub import NOTE_LIMIT, Parameter, parameter_names, python_function_name, stub_of
from toolgen.schema.json_values import compact_json, is_array, is_object
from toolgen.spec.literals import literal
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.providers.stubs.object_types import Key
    from toolgen.providers.stubs.stub import Stub

STUBS_FILE: Final = "stubs.json"


def write_stubs(tools: Mapping[str, Any], wire_names: Mapping[str, str], mark: str) -> str:
    """Return the stubs of all tools as JSON text: `tools` by ident, and the shared `types` by name.

    `tools` and `wire_names` are those of a `catalog.json`, and `mark` identifies it (`catalog_mark`).
    """
    made = _Stubs()
    read = {ident: made.read(ident, tool) for ident, tool in sorted(tools.items())}
    functions = {ident: python_function_name(wire_names.get(ident) or wire_name(ident)) for ident in read}
    made.types.finish(set(functions.values()))
    stubs = {ident: made.stub(functions[ident], parts) for ident, parts in read.items()}
    used = {name for stub in stubs.values() for name in stub.types}
    sources = {name: source for name, source in made.types.sources.items() if name in used}
    lines = [f"{compact_json(ident)}:\n{compact_json(_line(stub))}" for ident, stub in stubs.items()]
    listed = "{\n" + ",\n".join(lines) + "\n}" if lines else "{}"
    others = sorted(made.types.open & used)
    types = f'"types": {compact_json(sources)},\n"open_types": {compact_json(others)}'
    return f'{{\n{mark},\n"tools": {listed},\n{types}\n}}\n'


def _line(stub: Stub) -> dict[str, Any]:
    fields = {name: getattr(stub, name) for name in ("function", "parameters", "source", "types", "open")}
    return {name: value for name, value in fields.items() if value}


@dataclass(frozen=True, slots=True)
class _Read:
    """The types of a tool: its parameters, the annotation of its result, and whether it accepts other arguments."""

    description: str
    keys: tuple[Key, ...]
    returns: str
    is_open: bool


class _Stubs:
    """Generates the stubs of a catalog: first all schemas are read, then types are named, then both are written."""

    def __init__(self) -> None:
        self.types = ObjectTypes()
        self._count = 0
        self._waiting: deque[tuple[dict[str, Any], str, SchemaTypes]] = deque()

    def read(self, ident: str, tool: Mapping[str, Any]) -> _Read:
        """Read the schemas of a tool."""
        named, inject = pascal(ident.rpartition(".")[2]), tool.get("inject", ())
        types = self._reader(tool["args"])
        root = target_of(tool["args"], tool["args"])
        keys = self.types.keys_of(root, f"{named}Args", types) if is_object(root) else ()
        returns = self._reader(tool["result"]).read(tool["result"], f"{named}Result")
        while self._waiting:
            schema, name, reader = self._waiting.popleft()
            self.types.add(schema, name, self.types.keys_of(schema, name, reader))
        is_open = not is_object(root) or root.get("additionalProperties", True) is not False
        return _Read(tool["description"], tuple(key for key in keys if key.name not in inject), returns, is_open)

    def _reader(self, root: Any) -> SchemaTypes:
        def new_class(schema: dict[str, Any], name: str) -> str:
            self._waiting.append((schema, name, types))
            self._count += 1
            return placeholder(self._count - 1)

        types = SchemaTypes(root, new_class)
        return types

    def stub(self, function: str, read: _Read) -> Stub:
        """Return the stub of a tool whose schemas were read."""
        names = parameter_names(key.name for key in read.keys)
        parameters = [
            Parameter(
                python=names[key.name],
                wire=key.name,
                type=self.types.written(key.type),
                required=key.is_required,
                default=default_of(key.schema),
                description=key.description,
            )
            for key in read.keys
        ]
        used = self.types.needed([*(key.type for key in read.keys), read.returns])
        returns = self.types.written(read.returns)
        return stub_of(function, parameters, returns, read.description, is_open=read.is_open, types=used)


def default_of(schema: Mapping[str, Any]) -> str:
    """Return the default of a parameter: the value if it is short, so that it is known, else `...`."""
    source = literal(schema["default"]) if "default" in schema else "..."
    return source if len(source) <= NOTE_LIMIT else "..."


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
