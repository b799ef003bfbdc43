"""`stubs.json`: every tool as a typed Python function, for models that write code. One tool a line, as in the catalog.

Objects are TypedDicts. Those that are the same in all they say are one type, whichever tools and toolsets they come
from, so that a model reads it once.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.emit.literals import literal
from toolgen.compiler.ir.shapes import (
    Array,
    ClassRef,
    ClassType,
    Json,
    Literals,
    Map,
    Scalar,
    ScalarKind,
    Shape,
    Union,
    classes_in,
)
from toolgen.providers.stub import (
    NOTE_LIMIT,
    TAKEN,
    Parameter,
    choice,
    is_python_name,
    key_type,
    parameter_names,
    prose,
    python_function_name,
    stub_of,
)
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from toolgen.compiler.ir.catalog import Catalog, Tool
    from toolgen.compiler.ir.shapes import Field
    from toolgen.providers.stub import Stub

_SCALARS: Final = {
    ScalarKind.STRING: "str",
    ScalarKind.INTEGER: "int",
    ScalarKind.NUMBER: "float",  # to a type checker an int is one
    ScalarKind.BOOLEAN: "bool",
    ScalarKind.NULL: "None",
}

_WORD: Final = re.compile(r"[A-Z][^A-Z]*")
_NAME: Final = re.compile(r"\w+")

_Place = tuple[str, str]
"""A class: the name of its toolset, and its own."""


def emit_stubs(catalog: Catalog) -> str:
    """The stubs of all tools as JSON text: `tools` by ident, and the `types` that they share, by name."""
    functions = {
        tool.ident: python_function_name(tool.wire_name or wire_name(tool.ident))
        for toolset in catalog.toolsets
        for tool in toolset.tools
    }
    types = _Types.of(catalog, set(functions.values()))
    stubs = {
        tool.ident: _stub(tool, functions[tool.ident], toolset.name, types)
        for toolset in catalog.toolsets
        for tool in toolset.tools
    }
    lines = [f"{_text(ident)}: {_text(_line(stub))}" for ident, stub in sorted(stubs.items())]
    used = {name for stub in stubs.values() for name in stub.types}
    sources = {name: source for name, source in types.sources.items() if name in used}
    others = [name for name in sources if name in types.open]
    tools = "{\n" + ",\n".join(lines) + "\n}" if lines else "{}"
    ending = f',\n"open_types": {_text(others)}' if others else ""
    return f'{{\n"tools": {tools},\n"types": {_text(sources)}{ending}\n}}\n'


def _line(stub: Stub) -> dict[str, Any]:
    return {name: value for name, value in asdict(stub).items() if value}


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _stub(tool: Tool, function: str, toolset: str, types: _Types) -> Stub:
    args, result = tool.args.shape, tool.result.shape
    made = types.classes[toolset, args.name] if isinstance(args, ClassRef) else None
    fields = made.fields if made else ()
    names = parameter_names(each.wire for each in fields)

    def spell(shape: Shape) -> str:
        return _annotation(shape, lambda name: types.names[toolset, name])

    parameters = [
        Parameter(
            python=names[each.wire],
            wire=each.wire,
            type=spell(each.shape),
            required=each.required,
            default=_default(each),
            description=each.description,
        )
        for each in fields
    ]
    shapes = [*(each.shape for each in fields), result]
    used = types.closure([(toolset, name) for shape in shapes for name in sorted(classes_in(shape))])
    return stub_of(function, parameters, spell(result), tool.description, is_open=made is None or made.open, types=used)


def _default(item: Field) -> str:
    """What stands for a default: itself where it is short, for it tells a model what it need not say."""
    source = literal(item.default) if item.has_default else "..."
    return source if len(source) <= NOTE_LIMIT else "..."


def _annotation(shape: Shape, name_of: Callable[[str], str]) -> str:
    match shape:
        case Scalar(kind):
            return _SCALARS[kind]
        case Json():
            return "Any"
        case Literals(values):
            return choice(values, literal)
        case Array(items):
            return f"list[{_annotation(items, name_of)}]"
        case Map(values):
            return f"dict[str, {_annotation(values, name_of)}]"
        case Union(members):
            return " | ".join(dict.fromkeys(_annotation(member, name_of) for member in members))
        case ClassRef(name):
            return name_of(name)


@dataclass
class _Types:
    """The types that stand for classes: the class at each place, the name of its type, and their sources."""

    classes: Mapping[_Place, ClassType]
    names: dict[_Place, str] = field(default_factory=dict[_Place, str])
    sources: dict[str, str] = field(default_factory=dict[str, str])
    open: set[str] = field(default_factory=set[str])

    @classmethod
    def of(cls, catalog: Catalog, functions: set[str]) -> _Types:
        """Name every class of a catalog; `functions` are names that no type may have."""
        classes = {
            (toolset.name, made.name): made
            for toolset in catalog.toolsets
            for made in toolset.types
            if isinstance(made, ClassType)
        }
        types = cls(classes)
        taken = TAKEN | functions
        for places in _alike(classes):
            wanted = _common_end([name for _, name in places])
            name, number = wanted, 2
            while name in taken:
                name, number = f"{wanted}{number}", number + 1
            taken |= {name}
            types.names.update(dict.fromkeys(places, name))
        for place, made in classes.items():
            name = types.names[place]
            if name not in types.sources:
                types.sources[name] = types.source(name, place[0], made)
            if made.open:
                types.open.add(name)
        return types

    def source(self, name: str, toolset: str, made: ClassType) -> str:
        """Write one TypedDict, in the form that its keys allow.

        In a class, a key that is called like a type hides it from the keys after it, and `#` begins a comment.
        """

        def spell(item: Field, *, is_marked: bool) -> str:
            written = _annotation(item.shape, lambda other: self.names[toolset, other])
            return written if item.required or not is_marked else f"NotRequired[{written}]"

        types = " ".join(spell(item, is_marked=True) for item in made.fields)
        words = set(_NAME.findall(types))
        if "#" in types or not all(_is_key(item.wire) and item.wire not in words for item in made.fields):
            keys = ", ".join(f"{literal(item.wire)}: {key_type(spell(item, is_marked=True))}" for item in made.fields)
            return f"{name} = TypedDict({literal(name)}, {{{keys}}})\n"
        is_partial = not any(item.required for item in made.fields)
        lines = [f"class {name}(TypedDict{', total=False' if is_partial and made.fields else ''}):"]
        for item in made.fields:
            note = prose(item.description, NOTE_LIMIT)
            lines.append(f" {item.wire}: {spell(item, is_marked=not is_partial)}" + (f"  # {note}" if note else ""))
        return "\n".join(lines if made.fields else [*lines, " pass"]) + "\n"

    def closure(self, places: Sequence[_Place]) -> tuple[str, ...]:
        """The names of types, and of all that they hold: each after those that it holds, as far as cycles allow."""
        ordered: dict[str, None] = {}
        seen: set[_Place] = set()
        stack: list[tuple[_Place, bool]] = [(place, False) for place in reversed(places)]
        while stack:
            place, is_done = stack.pop()
            if is_done:
                ordered.setdefault(self.names[place])
            elif place not in seen:
                seen.add(place)
                stack.append((place, True))
                held = sorted({name for item in self.classes[place].fields for name in classes_in(item.shape)})
                stack += [((place[0], name), False) for name in reversed(held)]
        return tuple(ordered)


def _is_key(name: str) -> bool:
    return is_python_name(name) and not name.startswith("__")


def _alike(classes: Mapping[_Place, ClassType]) -> list[list[_Place]]:
    """Put classes together that are written alike, all the way down.

    All are taken for alike at first, and those told apart whose fields differ or hold classes that are told apart,
    until no more are: so cycles need no care.
    """
    groups = dict.fromkeys(classes, 0)
    count = 0
    while True:
        keys = {place: _as_written(made, place[0], groups) for place, made in classes.items()}
        numbers: dict[tuple[int, str], int] = {}
        groups = {place: numbers.setdefault((groups[place], key), len(numbers)) for place, key in keys.items()}
        if len(numbers) == count:
            break
        count = len(numbers)
    found: dict[int, list[_Place]] = {}
    for place, group in groups.items():
        found.setdefault(group, []).append(place)
    return list(found.values())


def _common_end(names: Sequence[str]) -> str:
    """The words that all names end in, as `Filters` of `ListFilters` and `FindFilters`; else one of the names."""
    from_the_end = zip(*(reversed(_WORD.findall(name)) for name in names), strict=False)
    shared = [words[0] for words in takewhile(lambda words: len(set(words)) == 1, from_the_end)][::-1]
    if len(shared) > 1 and len(names) > 1 and shared[0] in ("Args", "Result"):
        del shared[0]  # the names of nested types begin with the side that they are of
    return "".join(shared) or min(names, key=lambda name: (len(name), name)).lstrip("_") or "Object"


def _as_written(made: ClassType, toolset: str, groups: Mapping[_Place, int]) -> str:
    fields = [
        (
            item.wire,
            _annotation(item.shape, lambda name: f"<{groups[toolset, name]}>"),
            item.required,
            prose(item.description, NOTE_LIMIT),
        )
        for item in made.fields
    ]
    return repr(fields)
