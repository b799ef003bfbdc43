"""Words of Python, of its library and of pydantic, as names of a spec: its package imports, and values go round.

A name is kept unless generated code needs it, and the wire always has the name of the spec.
"""

from __future__ import annotations

import builtins
import json
import keyword
import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.case import write
from tests.programs.type_checkers import CHECKERS
from tests.properties.package import imported
from tests.unit.compiler.specs import resolved, toolset
from toolgen.compiler.compile import generate
from toolgen.compiler.ir.shapes import PACKAGE_MODULE, ClassType, classes_in, enums_in
from toolgen.compiler.resolve.names import RESERVED_CLASSES, RESERVED_FIELDS, STANDARD_LIBRARY, snake
from toolgen.runtime.codec.building import typed_default

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from toolgen.compiler.ir.catalog import Catalog
    from toolgen.runtime import Catalog as Loaded

WORDS: Final = sorted(
    name
    for name in {
        *dir(builtins), *keyword.kwlist, *keyword.softkwlist, *sys.stdlib_module_names,
        *dir(BaseModel), *dir(type(BaseModel)), *dir(tuple), *dir(dict), *RESERVED_FIELDS, *RESERVED_CLASSES,
        *("args", "result", "made", "payload", "self", "cls", "meta", "handlers", "service", "executor", "injections"),
        *("models", "calls", "dispatch", "transforms", "methods", "shared", "shared_types", "tools", "agents", "root"),
        *("PACKAGE", "ALL", "Ident", "Codec", "Final", "typed_default", "bound", "reexport", "origins", "model_name"),
    }
    if not name.startswith("_")
)  # fmt: skip
TYPES: Final = [word for word in WORDS if word.istitle() and word not in RESERVED_CLASSES] + ["TimeoutError"]
"""Names that no ident has."""
OWNERS: Final = [word for word in WORDS if word != PACKAGE_MODULE]

KINDS: Final[list[tuple[dict[str, Any], Any]]] = [
    ({"type": "string"}, "a"),
    ({"type": "string", "minLength": 1, "default": "b"}, "a"),
    ({"type": "integer", "minimum": 1}, 2),
    ({"type": "number", "maximum": 9.5}, 1.5),
    ({"type": ["boolean", "null"]}, None),
    ({"type": "array", "items": {"type": "string"}, "minItems": 1, "default": ["a"]}, ["b", "c"]),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": 1}),
    ({"enum": ["a", "b"]}, "b"),
    ({"type": "string", "format": "date", "default": "2026-01-31"}, "2026-02-28"),
    ({"type": "string", "format": "date-time"}, "2026-02-28T10:00:00Z"),
    ({"type": "array", "items": {"type": "string", "format": "time"}}, ["10:00:00Z"]),
    ({"type": "string", "format": "uuid"}, "6f1b7c9e-58a1-4b6c-9a3e-0d9d7a8b1c2d"),
    ({}, {"any": [1, None]}),
    ({"$ref": "#/types/TYPE"}, {"TYPE": "a"}),
    ({"type": "array", "items": {"$ref": "#/types/TYPE"}, "default": []}, [{"TYPE": "a", "KIND": "x"}]),
    ({"$ref": "#/types/KIND"}, "y"),
]
"""Schemas of fields, in which `TYPE` and `KIND` are the types of the toolset, with a value each."""

Field = tuple[str, int, bool]
"""The name of a field, the index of its kind, and whether it is required."""


def filled(part: Any, names: Mapping[str, str]) -> Any:
    """Return a part of `KINDS` with the names of the types."""
    text = json.dumps(part)
    for placeholder, name in names.items():
        text = text.replace(f"/{placeholder}", f"/{name}").replace(f'"{placeholder}"', f'"{name}"')
    return json.loads(text)


def spec(name: str, made: str, kind: str, tools: Mapping[str, Iterable[Field]]) -> str:
    """Return a toolset: each tool takes and returns its fields, and the first is injected for its method."""
    names = {"TYPE": made, "KIND": kind}
    types = {
        kind: {"enum": ["x", "y"]},
        made: {
            "type": "object",
            "properties": {made: {"type": "string"}, kind: {"$ref": f"#/types/{kind}"}},
            "required": [made],
        },
    }
    written: dict[str, Any] = {}
    methods: dict[str, Any] = {}
    for number, (key, fields) in enumerate(tools.items()):
        properties = {field: filled(KINDS[index][0], names) for field, index, _ in fields}
        required = [field for field, _, is_required in fields if is_required]
        side = {"type": "object", "properties": properties, "required": required}
        injected = next(iter(properties))
        assert injected in required
        given = {field: schema for field, schema in properties.items() if field != injected}
        args = {"type": "object", "properties": given, "required": [field for field in required if field != injected]}
        methods[f"Method{number}"] = {"payload": side, "result": side}
        written[key] = {"args": args, "result": side, "bind": f"Method{number}", "inject": [injected]}
    return toolset(written, name=name, types=types, methods=methods)


def compiled(*texts: str) -> Catalog:
    found = resolved(*texts, formats="typed")
    assert not found.has_errors, found.messages
    return found.catalog


@st.composite
def specs(draw: st.DrawFn) -> tuple[str, dict[str, dict[str, Any]]]:
    """Draw a toolset, with a result for each of its tools, by key."""
    made, kind = draw(st.lists(st.sampled_from(TYPES), min_size=2, max_size=2, unique=True))
    fields = st.tuples(st.sampled_from([*WORDS, made, kind]), st.integers(0, len(KINDS) - 1), st.booleans())
    tools: dict[str, list[Field]] = {}
    values: dict[str, dict[str, Any]] = {}
    for key in draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique_by=snake)):
        (first, index, _), *others = draw(st.lists(fields, min_size=1, max_size=12, unique_by=lambda field: field[0]))
        tools[key] = [(first, index, True), *others]
        values[key] = {
            field: filled(KINDS[index][1], {"TYPE": made, "KIND": kind})
            for field, index, is_required in tools[key]
            if is_required or draw(st.booleans())
        }
    name = ".".join(draw(st.lists(st.sampled_from(OWNERS), min_size=1, max_size=3)))
    return spec(name, made, kind, tools), values


@settings(
    max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(specs())
def test_words_of_python_are_names_like_any_other(drawn: tuple[str, dict[str, dict[str, Any]]]) -> None:
    text, values = drawn
    catalog = compiled(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with imported(catalog) as loaded:
            for tool in catalog.tools:
                check(catalog, loaded, tool.ident, values[tool.key])
    check_names(catalog)


def check(catalog: Catalog, loaded: Loaded, ident: str, value: dict[str, Any]) -> None:
    """Check that a value of a tool goes round: as its result, as its args, through its builder and its transforms."""
    [tool] = [tool for tool in catalog.tools if tool.ident == ident]
    package = import_module(loaded.package_of(loaded.toolset_of(ident)))
    result, args = loaded.codec(ident, "result"), loaded.codec(ident, "args")
    typed = result.decode(json.dumps(value))
    assert type(typed) is getattr(package, tool.names.result)
    assert json.loads(result.encode(typed)) == value

    [injected] = tool.inject
    sent = {wire: each for wire, each in value.items() if wire != injected}
    given = args.decode(json.dumps(sent))
    assert json.loads(args.encode(given)) == sent
    pythons = names_of(catalog, tool.names.result)
    keywords = {pythons[wire]: getattr(given, pythons[wire]) for wire in sent}
    assert given.model_fields_set == keywords.keys()
    payload = json.loads(getattr(package, tool.names.call)(**keywords).payload)
    assert {wire: each for wire, each in payload.items() if wire in sent} == sent

    assert tool.binding is not None
    to_payload = getattr(package, f"to_method_payload_{tool.names.stem}")
    to_result = getattr(package, f"to_tool_return_{tool.names.stem}")
    made = to_payload(given, **{pythons[injected]: getattr(typed, pythons[injected])})
    assert all(getattr(made, pythons[wire]) == getattr(typed, pythons[wire]) for wire in value)
    returned = typed_default(getattr(package, f"{tool.binding.method}MethodResult"), value)
    payload = json.loads(result.encode(to_result(returned)))  # with defaults
    assert {wire: each for wire, each in payload.items() if wire in value} == value


def check_names(catalog: Catalog) -> None:
    """Check that a field has another name in Python only if it must, and that folders and modules have theirs."""
    for made in (made for made in catalog.toolsets[0].types if isinstance(made, ClassType)):
        types = {
            made.name,
            *(name for field in made.fields for name in classes_in(field.shape) | enums_in(field.shape)),
        }
        for field in made.fields:
            assert field.python == (f"{field.wire}_" if field.wire in RESERVED_FIELDS | types else field.wire)
    *owner, last = map(snake, catalog.toolsets[0].name.split("."))
    *outer, _, inner = catalog.toolsets[0].package
    for index, (name, folder) in enumerate(zip([*owner, last], [*outer, inner], strict=True)):
        hides = index == 0 and bool(owner) and name in STANDARD_LIBRARY
        assert folder == (f"{name}_" if hides or keyword.iskeyword(name) else name)


def names_of(catalog: Catalog, name: str) -> dict[str, str]:
    """Return the names of the fields of a class in Python, by those in JSON."""
    classes = {made.name: made for made in catalog.toolsets[0].types if isinstance(made, ClassType)}
    return {field.wire: field.python for field in classes[name].fields}


@pytest.mark.long
@pytest.mark.parametrize("checker", CHECKERS)
def test_every_word_of_python_has_the_right_type(checker: str, tmp_path: Path) -> None:
    """Every word is a field of each kind of the first half, and the name of a tool; the checkers find no error."""
    tools: dict[str, list[Field]] = {}
    for start in range(0, len(WORDS), 60):
        words = WORDS[start : start + 60]
        for turn in range(0, len(KINDS), 3):
            fields = [(word, (turn + place) % len(KINDS), place % 7 == 0) for place, word in enumerate(words)]
            tools[f"{words[turn]}"] = fields
    texts = [spec("json.types.code", "Warning", "Exception", tools), spec("typing", "Codec", "Mapping", tools)]
    write(tmp_path / "generated", generate(compiled(*texts)))
    assert CHECKERS[checker](tmp_path) == []
