"""Stubs: tools as typed Python functions, for models that write code, generated from the JSON Schemas of a catalog."""

from __future__ import annotations

import keyword
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count, takewhile
from typing import Any, Final, TypeVar

from toolgen.schema.args import without_injected
from toolgen.schema.free_names import free_name
from toolgen.schema.json_values import compact_json, is_array, is_object
from toolgen.schema.keywords import required_of
from toolgen.schema.references import at, behind, id_keyword, is_resource, name_of_target
from toolgen.spec.literals import literal
from toolgen.spec.text import visible
from toolgen.spec.wire_names import STRICT, name_digest, wire_name

# Stubs: a tool as the signature of a Python function, for a model that writes code and for the checker that reads it.
#
# They are generated from the schemas of compiled and registered tools; text from specs is truncated, and cannot end
# the string that contains it.

DESCRIPTION_LIMIT: Final = 500
NOTE_LIMIT: Final = 120
"""Maximum characters of the description of a tool, and of a parameter or key."""

CHOICE_LIMIT: Final = 500
"""Maximum characters of the values of an enumeration; a longer one is replaced by its types."""

CHECKED_NAMES: Final = frozenset({"Any", "Literal", "NotRequired", "TypedDict"})
"""The names of `typing` that stubs use."""

BUILTINS: Final = frozenset(
    """
    ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
    BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
    ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup
    FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning
    IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
    ModuleNotFoundError NameError NotADirectoryError NotImplemented NotImplementedError OSError OverflowError
    PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError RecursionError ReferenceError
    ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError
    SystemExit TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError
    UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError
    abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright
    credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash
    help hex id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open
    ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type
    vars zip
    """.split()
)
"""Builtin names of Python 3.11 to 3.13: listed, so that names do not depend on the generating Python version."""

RESULT: Final = "result"
"""The variable to which a snippet binds its result."""

TAKEN: Final = BUILTINS | CHECKED_NAMES | {RESULT}
"""Names that tools and types of stubs cannot have."""

_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a stub. `type` and `default` are Python source; `wire` is its name in JSON."""

    python: str
    wire: str
    type: str
    required: bool
    default: str = "..."
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stub:
    """A tool as a function. `parameters` are pairs of the Python and the JSON name, in the order of the signature.

    `source` is the whole definition, `types` the names of the types that it needs, each after those it needs itself.
    An `open` one accepts arguments other than its parameters.
    """

    function: str
    parameters: tuple[tuple[str, str], ...]
    source: str
    types: tuple[str, ...] = ()
    open: bool = False


def stub_of(
    function: str,
    parameters: Iterable[Parameter],
    returns: str,
    description: str,
    *,
    is_open: bool = False,
    types: tuple[str, ...] = (),
) -> Stub:
    """Return the stub of a tool; optional parameters come after required ones, otherwise in the given order.

    It is indented by one space, because it is sent in every request.

    An open one without parameters accepts any keyword arguments. With parameters it shows only these, because a model
    should use them; code may still pass others.
    """
    ordered = sorted(parameters, key=lambda parameter: not parameter.required)
    signature = ", ".join([
        *(f"{each.python}: {each.type}" + ("" if each.required else f" = {each.default}") for each in ordered),
        *(["**arguments: Any"] if is_open and not ordered else []),
    ])  # fmt: skip
    notes = [f"{each.python}: {text}" for each in ordered if (text := prose(each.description, NOTE_LIMIT))]
    body = _docstring([prose(description, DESCRIPTION_LIMIT), *notes])
    return Stub(
        function=function,
        parameters=tuple((each.python, each.wire) for each in ordered),
        source=f"def {function}({signature}) -> {returns}:\n {body}\n",
        types=types,
        open=is_open,
    )


def choice(values: Iterable[str | int | bool | None], written: Callable[[Any], str]) -> str:
    """Return the type of an enumeration: its values, or, if there are many, their types."""
    chosen = list(values)
    source = f"Literal[{', '.join(map(written, chosen))}]"
    if len(source) <= CHOICE_LIMIT:
        return source
    return " | ".join(dict.fromkeys("None" if each is None else type(each).__name__ for each in chosen))


def key_type(source: str) -> str:
    """Return the type of a key in the functional syntax, as text, so that it may refer to later names.

    Type checkers do not support escapes in such text, so a type that would need one is not quoted.
    """
    for quote in ('"', "'"):
        if quote not in source and "\\" not in source:
            return f"{quote}{source}{quote}"
    return source


def is_python_name(name: str) -> bool:
    """Whether a name can be a parameter or a key of a class: an ASCII identifier that is not a keyword."""
    return _IDENTIFIER.fullmatch(name) is not None and not keyword.iskeyword(name)


def parameter_names(names: Iterable[str]) -> dict[str, str]:
    """Map JSON names to unique parameter names: unchanged if possible, otherwise as similar as possible."""
    asked = list(names)
    spelled = {name: name for name in asked if is_python_name(name)}
    taken = set(spelled)
    numbers: dict[str, int] = {}
    for name in asked:
        if name not in spelled:
            near = re.sub(r"[^A-Za-z0-9_]", "_", name)
            near = near if near[:1].isalpha() or near.startswith("_") else f"p_{near}"
            spelled[name] = free_name(f"{near}_" if keyword.iskeyword(near) else near, taken, numbers)
            taken.add(spelled[name])
    return {name: spelled[name] for name in asked}


def prose(text: str, limit: int) -> str:
    """Return text as one line of at most `limit` characters, with unprintable characters escaped."""
    line = visible(" ".join(text[: 4 * limit].split()))
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def _docstring(lines: list[str]) -> str:
    text = "\n ".join(lines).replace("\\", "\\\\")
    if '"""' in text or text.endswith('"'):
        text = text.replace('"', '\\"')
    return f'"""{text}"""'


def python_function_name(wire: str) -> str:
    """Return the function name of a wire name in a model's code. It depends only on the wire name.

    It is the wire name if that is a valid, unreserved function name. Otherwise invalid characters are replaced, and a
    hash of the wire name is appended, as in wire names; a name that does not begin with a letter gets the prefix
    `tool_`.
    """
    if is_python_name(wire) and not wire.startswith("_") and wire not in TAKEN:
        return wire
    readable = re.sub(r"[^a-zA-Z0-9_]", "_", wire)[: STRICT.max_length]
    start = "" if readable[:1].isalpha() else "tool_"
    return f"{start}{readable}___{name_digest(wire)}"


# Annotations of parameters, keys and results, from JSON Schema.
#
# An annotation accepts at least what the schema accepts: if Python has no such type, it is `Any`.

ANY: Final = "Any"

_SCALARS: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",  # to a type checker an int is one
    "boolean": "bool",
    "null": "None",
}
_DEPTH: Final = 64
_LIMIT: Final = 1_000
"""Maximum levels of a schema, and characters of one annotation; anything beyond is `Any`."""

_NAMES: Final = 4_096
"""Number of cached class names: names of keys repeat."""

_WORDS: Final = re.compile(r"[A-Za-z0-9]+")


class SchemaTypes:
    """The annotations of the parts of one schema; targets of references are converted once."""

    def __init__(self, root: Any, new_class: Callable[[dict[str, Any], str], str] | None = None) -> None:
        """Take the schema that references are resolved in.

        `new_class` returns the annotation of an object with named properties, given its schema and a name; it reads the
        properties later, so that objects may be recursive. Without it, objects are `dict[str, Any]`.
        """
        self._root = root
        self._new_class = new_class
        self._referred: dict[str, str] = {}

    def read(self, schema: Any, name: str = "", depth: int = 0) -> str:
        """Return the annotation of a part of the schema; `name` is for a class created for it."""
        if (
            not is_object(schema)
            or depth > _DEPTH
            or (schema is not self._root and is_resource(schema, id_keyword(self._root)))
        ):
            return ANY
        found = self._read(schema, name, depth)
        return found if len(found) <= _LIMIT else ANY

    def _read(self, schema: dict[str, Any], name: str, depth: int) -> str:
        if isinstance(reference := schema.get("$ref"), str):
            return self._follow(reference, depth)
        listed = [schema["const"]] if "const" in schema else schema.get("enum")
        if is_array(listed) and listed and all(isinstance(each, str | bool | int | None) for each in listed):
            return choice(listed, literal)
        if "type" in schema:
            types = schema["type"] if is_array(schema["type"]) else [schema["type"]]
            return _union([self._of_type(each, schema, name, depth) for each in types])
        for combiner in ("anyOf", "oneOf", "allOf"):
            branches = schema.get(combiner)
            if is_array(branches) and branches and (combiner != "allOf" or len(branches) == 1):
                return _union([self.read(branch, name, depth + 1) for branch in branches])
        return ANY

    def _of_type(self, kind: Any, schema: dict[str, Any], name: str, depth: int) -> str:
        if kind == "array":
            is_plain = is_object(schema.get("items")) and "prefixItems" not in schema
            return f"list[{self.read(schema['items'], f'{name}Item', depth + 1) if is_plain else ANY}]"
        if kind == "object":
            return self._of_object(schema, name, depth)
        return _SCALARS.get(str(kind), ANY)

    def _of_object(self, schema: dict[str, Any], name: str, depth: int) -> str:
        if is_object(schema.get("properties")) and schema["properties"] and self._new_class:
            return self._new_class(schema, name)
        values = schema.get("additionalProperties")
        is_plain = is_object(values) and not schema.get("properties") and "patternProperties" not in schema
        return f"dict[str, {self.read(values, f'{name}Value', depth + 1) if is_plain else ANY}]"

    def _follow(self, reference: str, depth: int) -> str:
        if reference not in self._referred:
            self._referred[reference] = ANY  # for recursive references
            name = pascal(name_of_target(reference))
            self._referred[reference] = self.read(at(self._root, reference), name, depth + 1)
        return self._referred[reference]


@lru_cache(_NAMES)
def pascal(text: str) -> str:
    """Convert a name to a class name: `created_by` to `CreatedBy`."""
    return "".join(word[:1].upper() + word[1:] for word in _WORDS.findall(text)).lstrip("0123456789") or "Object"


def _union(types: list[str]) -> str:
    found = dict.fromkeys(types)
    return ANY if ANY in found else " | ".join(found)


# Object types: the TypedDicts of a catalog, shared by all tools with equal objects.

_CLASS: Final = re.compile("\0(\\d+)\0")
"""The placeholder in an annotation for a class without a name yet: its number."""

_WORD: Final = re.compile(r"[A-Z][^A-Z]*")
_NAME: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Key:
    """One key of an object. `type` is an annotation with placeholders for classes.

    `note` is its description, shortened. `default` is the source of the default in its schema, `...` if there is none,
    or if it is long.
    """

    name: str
    type: str
    is_required: bool
    note: str
    default: str

    @classmethod
    def of(cls, name: str, type_: str, schema: Any, *, is_required: bool) -> Key:
        """Read a key; only a schema that is an object has a description and a default."""
        found = schema if is_object(schema) else {}
        text = found.get("description")
        note = prose(text, NOTE_LIMIT) if isinstance(text, str) else ""
        return cls(name, type_, is_required, note, default_of(found))

    @property
    def alone(self) -> tuple[str, str, bool, str]:
        """All its properties except nested objects."""
        kind = _CLASS.sub("\0", self.type) if "\0" in self.type else self.type
        return self.name, kind, self.is_required, self.note


def default_of(schema: Mapping[str, Any]) -> str:
    """Return the default in a schema: the source of the value if it is short, so that it is known, else `...`."""
    source = literal(schema["default"]) if "default" in schema else "..."
    return source if len(source) <= NOTE_LIMIT else "..."


@dataclass(frozen=True, slots=True)
class ObjectType:
    """A schema with named properties, and its candidate name."""

    name: str
    keys: tuple[Key, ...]
    is_open: bool


@dataclass(frozen=True, slots=True)
class ToolTypes:
    """The types of a tool: its parameters, the annotation of its result, and whether it accepts other arguments.

    Placeholders are numbers of its own `objects`.
    """

    description: str
    keys: tuple[Key, ...]
    returns: str
    is_open: bool
    objects: tuple[ObjectType, ...]


HolderT = TypeVar("HolderT", ObjectType, ToolTypes)


@dataclass
class ObjectTypes:
    """The objects of all schemas, and, after `finish`, their types."""

    sources: dict[str, str] = field(default_factory=dict[str, str])
    open: set[str] = field(default_factory=set[str])
    _objects: list[ObjectType] = field(default_factory=list[ObjectType])
    _names: list[str] = field(default_factory=list[str])

    def add(self, tool: ToolTypes) -> ToolTypes:
        """Add the objects of a tool, and return it with placeholders for the numbers that they have here."""
        first = len(self._objects)
        if not tool.objects:
            return tool
        self._objects += [_moved(each, first) for each in tool.objects]
        return replace(_moved(tool, first), returns=_shifted(tool.returns, first))

    def finish(self, functions: set[str]) -> None:
        """Name and write the types; `functions` are reserved names."""
        groups = self._alike()
        taken = {*TAKEN, *functions}
        counts: dict[str, int] = {}
        self._names = [""] * len(self._objects)
        for numbers in groups:
            names = [self._objects[number].name for number in numbers]
            shared = _common_end(names)
            name = free_name(_shortest(names) if shared in taken else shared, taken, counts, between="")
            taken.add(name)
            for number in numbers:
                self._names[number] = name
        for numbers in groups:
            made = self._objects[numbers[0]]
            name = self._names[numbers[0]]
            self.sources[name] = self._source(name, made)
            if any(self._objects[number].is_open for number in numbers):
                self.open.add(name)

    def written(self, annotation: str) -> str:
        """Return an annotation with the names of types."""
        if "\0" not in annotation:
            return annotation
        return _CLASS.sub(lambda found: self._names[int(found[1])], annotation)

    def needed(self, annotations: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the types in annotations and of nested ones, these first, as far as cycles allow."""
        ordered: dict[str, None] = {}
        seen: set[int] = set()
        stack = [(number, False) for annotation in reversed(annotations) for number in reversed(_classes(annotation))]
        while stack:
            number, is_done = stack.pop()
            if is_done:
                ordered.setdefault(self._names[number])
            elif number not in seen:
                seen.add(number)
                stack.append((number, True))
                held = [each for key in self._objects[number].keys for each in _classes(key.type)]
                stack += [(each, False) for each in reversed(held)]
        return tuple(ordered)

    def _source(self, name: str, made: ObjectType) -> str:
        """Return the source of one TypedDict, in the syntax that its keys allow.

        In a class, a key with the name of a type hides the type from later keys, and `#` begins a comment.
        """
        types = {key.name: self.written(key.type) for key in made.keys}
        marked = {
            key.name: types[key.name] if key.is_required else f"NotRequired[{types[key.name]}]" for key in made.keys
        }
        annotations = " ".join(marked.values())
        words = set(_NAME.findall(annotations))
        if "#" in annotations or not all(_is_key(key.name) and key.name not in words for key in made.keys):
            keys = ", ".join(f"{literal(key)}: {key_type(written)}" for key, written in marked.items())
            return f"{name} = TypedDict({literal(name)}, {{{keys}}})\n"
        is_partial = not any(key.is_required for key in made.keys)
        lines = [f"class {name}(TypedDict{', total=False' if is_partial and made.keys else ''}):"]
        for key in made.keys:
            written = types[key.name] if is_partial else marked[key.name]
            lines.append(f" {key.name}: {written}" + (f"  # {key.note}" if key.note else ""))
        return "\n".join(lines if made.keys else [*lines, " pass"]) + "\n"

    def _alike(self) -> list[list[int]]:
        """Group objects that have equal sources, including nested ones, in the order of their first members.

        Objects with equal keys are considered equal at first, and split where nested objects at the same place are of
        different groups, so that cycles need no special treatment. This is Hopcroft's algorithm for the states of an
        automaton: only the smaller part of a group splits others, so the work grows as n log n.
        """
        below = [[int(each) for key in made.keys for each in _CLASS.findall(key.type)] for made in self._objects]
        holders: dict[int, list[tuple[int, int]]] = {}
        for number, held in enumerate(below):
            for position, each in enumerate(held):
                holders.setdefault(each, []).append((position, number))
        numbers: dict[str, int] = {}
        group = [numbers.setdefault(repr([key.alone for key in made.keys]), len(numbers)) for made in self._objects]
        members: list[set[int]] = [set() for _ in numbers]
        for number, own in enumerate(group):
            members[own].add(number)
        waiting = set(range(len(members)))
        while waiting:
            split: dict[int, set[int]] = {}
            for each in members[waiting.pop()]:
                for position, holder in holders.get(each, ()):
                    split.setdefault(position, set()).add(holder)
            for found in split.values():
                inside: dict[int, set[int]] = {}
                for holder in found:
                    inside.setdefault(group[holder], set()).add(holder)
                for own, part in inside.items():
                    if len(part) == len(members[own]):
                        continue
                    members[own] -= part
                    if own not in waiting and len(part) > len(members[own]):
                        part, members[own] = members[own], part
                    for number in part:
                        group[number] = len(members)
                    waiting.add(len(members))
                    members.append(part)
        in_order: dict[int, list[int]] = {}
        for number, own in enumerate(group):
            in_order.setdefault(own, []).append(number)
        return list(in_order.values())


def keys_of(schema: dict[str, Any], name: str, types: SchemaTypes) -> tuple[Key, ...]:
    """Return the keys of a schema; `name` is the prefix of names of nested types."""
    properties, required = schema.get("properties"), required_of(schema)
    return tuple(
        Key.of(key, types.read(below, f"{name}{pascal(key)}"), below, is_required=key in required)
        for key, below in (properties.items() if is_object(properties) else ())
        if below is not False
    )


def object_of(schema: dict[str, Any], name: str, keys: tuple[Key, ...]) -> ObjectType:
    """Return the type of a schema with named properties."""
    is_open = schema.get("additionalProperties", True) is not False or "patternProperties" in schema
    return ObjectType(name, keys, is_open)


def _moved(holder: HolderT, first: int) -> HolderT:
    """Return an object or a tool with placeholders in its keys for numbers that are higher by `first`."""
    if not any("\0" in key.type for key in holder.keys):
        return holder
    keys = (replace(key, type=_shifted(key.type, first)) if "\0" in key.type else key for key in holder.keys)
    return replace(holder, keys=tuple(keys))


def _shifted(annotation: str, first: int) -> str:
    if "\0" not in annotation:
        return annotation
    return _CLASS.sub(lambda found: placeholder(int(found[1]) + first), annotation)


def placeholder(number: int) -> str:
    """Return the placeholder of an object in annotations."""
    return f"\0{number}\0"


def _classes(annotation: str) -> list[int]:
    return [int(number) for number in _CLASS.findall(annotation)] if "\0" in annotation else []


def _is_key(name: str) -> bool:
    return is_python_name(name) and not name.startswith("__")


def _common_end(names: Sequence[str]) -> str:
    """Return the common last words of names, as `Filters` of `ListFilters` and `FindFilters`; else one of the names."""
    from_the_end = zip(*(reversed(_WORD.findall(name)) for name in names), strict=False)
    shared = [words[0] for words in takewhile(lambda words: len(set(words)) == 1, from_the_end)][::-1]
    if len(shared) > 1 and len(names) > 1 and shared[0] in ("Args", "Result"):
        del shared[0]  # names of nested types begin with their side
    return "".join(shared) or _shortest(names)


def _shortest(names: Sequence[str]) -> str:
    return min(names, key=lambda name: (len(name), name)).lstrip("_") or "Object"


# `stubs.json`: every tool of a catalog as a typed Python function, and the shared types, each once.


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

    named, args = pascal(ident.rpartition(".")[2]), tool["args"]
    if is_object(args):
        args = without_injected(args, tool.get("inject", ()))
    types = reader(args)
    root = behind(args, args)
    keys = keys_of(root, f"{named}Args", types) if is_object(root) else ()
    returns = reader(tool["result"]).read(tool["result"], f"{named}Result")
    objects: list[ObjectType] = []
    while waiting:
        schema, name, below = waiting.popleft()
        objects.append(object_of(schema, name, keys_of(schema, name, below)))
    is_open = not is_object(root) or root.get("additionalProperties", True) is not False
    return ToolTypes(tool["description"], tuple(keys), returns, is_open, tuple(objects))


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
    properties, required = args.get("properties"), required_of(args)
    offered = {
        name: schema if is_object(schema) else {}
        for name, schema in (properties.items() if is_object(properties) else ())
        if schema is not False
    }
    names = parameter_names(offered)
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
