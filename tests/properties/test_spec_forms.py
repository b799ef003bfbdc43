"""Features of specs beside JSON Schema: the short form, `inject`, `one_of`, and names of parts of schemas.

For each, the verdict on any value is that of an equivalent schema.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.codecs.test_codecs import try_value, unhurried
from tests.properties.package import imported, same
from tests.properties.schemas import DIALECTS, NAMES, written
from tests.properties.values import values
from tests.unit.compiler.specs import resolved
from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolsetRegistration
from toolgen.runtime import Runtime, allow_all
from toolgen.runtime.codec.typed_values import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hypothesis.strategies import DrawFn

    from toolgen.compiler.ir.catalog import Catalog

quick = settings(unhurried, max_examples=settings().max_examples // 2, deadline=None)

TEXT: Final[dict[str, Any]] = {"type": "string"}
WORDS: Final[dict[str, Any]] = {
    **{word: {"type": word} for word in ("string", "integer", "number", "boolean", "object", "null")},
    "any": True,
}
UNMARKED: Final = NAMES.filter(lambda name: bool(name) and name[-1] not in "?!")


class Short(NamedTuple):
    """A short form and the equivalent JSON Schema."""

    form: Any
    schema: Any


@st.composite
def short_forms(draw: DrawFn, depth: int) -> Short:
    match draw(st.integers(0, 5)) if depth else 0:
        case 1 | 2 | 3:
            return draw(short_objects(depth))
        case 4:
            item = draw(short_forms(depth - 1))
            return Short([item.form], {"type": "array", "items": item.schema})
        case 5:
            default = draw(st.sampled_from(["", "a"]))
            return Short({"type": "string", "default": default}, {"type": "string", "default": default})
        case _:
            word = draw(st.sampled_from(sorted(WORDS)))
            return Short(word, WORDS[word])


@st.composite
def short_objects(draw: DrawFn, depth: int) -> Short:
    form: dict[str, Any] = {}
    schema: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    for name in draw(st.lists(UNMARKED, unique=True, min_size=1, max_size=4)):
        mark = draw(st.sampled_from(["!", "?"]))
        field = draw(short_forms(depth - 1))
        form[f"{name}{mark}"] = field.form
        schema["properties"][name] = field.schema
        if mark == "!" and not (isinstance(field.schema, dict) and "default" in field.schema):
            schema["required"].append(name)
    return Short(form, schema)


@quick
@given(st.data(), short_objects(3))
def test_a_short_form_is_equivalent_to_its_schema(data: st.DataObject, short: Short) -> None:
    catalog = compiled({"args": short.form, "result": short.form})
    validator = jsonschema_rs.validator_for(short.schema)
    with imported(catalog) as found:
        for value in (data.draw(values(short.schema)) for _ in range(5)):
            accepted = validator.is_valid(value)
            for side in ("args", "result"):
                try_value(found.codec("made.up.act", side), value, json.dumps(value), accepted)


class Args(NamedTuple):
    """Args as written, their types, and an equivalent self-contained schema.

    `names` are their outermost fields, all of them texts.
    """

    written: Any
    types: Mapping[str, Any]
    schema: dict[str, Any]
    names: list[str]


@st.composite
def args(draw: DrawFn, dialect: str) -> Args:
    """Draw an object with texts and a field of its own type, written in one of several ways."""
    names = draw(st.lists(NAMES, unique=True, min_size=3, max_size=5))
    own, *names = sorted(names)  # the empty name, which a spec cannot contain, comes first
    schema: dict[str, Any] = {"type": "object", "properties": dict.fromkeys(names, TEXT)}
    schema["required"] = draw(st.lists(st.sampled_from(names), unique=True))
    if draw(st.booleans()):
        schema["additionalProperties"] = False
    way = draw(st.sampled_from(["alone", "type", "recursive type", "all of"]))
    if way == "alone":
        return Args(schema, {}, schema, names)
    if way == "all of":
        schema.pop("additionalProperties", None)
        parts = {"type": "object", "allOf": [schema, {"properties": {}}]}
        return Args(parts, {}, parts, names)
    if way == "recursive type":
        schema["properties"] = {**schema["properties"], own: {"$ref": "#/types/Thing"}}
    document = {"$schema": DIALECTS[dialect], "type": "object", "allOf": [{"$ref": "#/types/Thing"}]}
    return Args({"$ref": "#/types/Thing"}, {"Thing": schema}, {**document, "types": {"Thing": schema}}, names)


@quick
@given(st.data(), st.sampled_from(sorted(DIALECTS)))
def test_injected_fields_are_refused_from_callers_and_filled_in(data: st.DataObject, dialect: str) -> None:
    made = data.draw(args(dialect))
    injected = data.draw(st.lists(st.sampled_from(made.names), unique=True, min_size=1))
    catalog = compiled({"args": written(made.written), "inject": injected}, made.types, dialect)
    validator = jsonschema_rs.validator_for({"$schema": DIALECTS[dialect], **made.schema})
    filled = dict.fromkeys(injected, "filled")
    with imported(catalog) as found:
        given_args: list[Any] = []
        runtime = Runtime(
            found,
            permission=allow_all,
            inject={name: lambda _meta: "filled" for name in injected},
            executors=[
                ToolsetRegistration(toolset="made.up", handlers={"made.up.act": lambda got, _: given_args.append(got)})
            ],
        )
        for value in (data.draw(values(made.schema)) for _ in range(5)):
            if not isinstance(value, dict):
                continue
            sent = value if data.draw(st.integers(0, 3)) == 3 else without(value, injected)
            accepted = filled.keys().isdisjoint(sent) and validator.is_valid({**sent, **filled})
            try_value(found.codec("made.up.act", "args"), sent, json.dumps(sent), accepted)
            result = asyncio.run(
                runtime.invoke(ToolRequest(name="made.up.act", payload=json.dumps(sent)), meta=ToolCallMeta())
            )
            assert (result.error is None) == accepted, result.error
            assert not accepted or same(plain(given_args[-1]), {**sent, **filled})


RECURSIVE: Final = {"type": "object", "properties": {"child": {"$ref": "#"}, "a": TEXT, "b": TEXT}}


@pytest.mark.parametrize("key", ["inject", "one_of"])
def test_args_that_refer_to_themselves_and_change_are_refused(key: str) -> None:
    found = resolved(spec({"args": RECURSIVE, key: ["a", "b"]}, {}, "2020-12"))
    assert found.codes == ["TG207"]
    pointer = {"type": "object", "properties": {"a": TEXT, "b": TEXT, "c": {"$ref": "#/properties/a"}}}
    found = resolved(spec({"args": pointer, key: ["a", "b"]}, {}, "2020-12"))
    assert found.codes == (["TG207"] if key == "inject" else [])


def test_an_extra_key_with_the_python_name_of_an_injected_field_reaches_the_handler() -> None:
    args = {"type": "object", "properties": {"t-n": TEXT, "a": TEXT}}
    with imported(compiled({"args": args, "inject": ["t-n"]})) as found:
        given_args: list[Any] = []
        handlers = {"made.up.act": lambda got, _meta: given_args.append(got)}
        executors = [ToolsetRegistration(toolset="made.up", handlers=handlers)]
        runtime = Runtime(found, permission=allow_all, inject={"t-n": lambda _meta: "x"}, executors=executors)
        request = ToolRequest(name="made.up.act", payload='{"t_n": 1, "other": 2}')
        asyncio.run(runtime.invoke(request, meta=ToolCallMeta()))
    assert plain(given_args[0]) == {"t-n": "x", "t_n": 1, "other": 2}


@quick
@given(st.data(), st.sampled_from(sorted(DIALECTS)))
def test_exactly_one_of_the_alternative_args_is_required(data: st.DataObject, dialect: str) -> None:
    made = data.draw(args(dialect))
    optional = [name for name in made.names if name not in required(made)]
    if len(optional) < 2:
        return
    choice = data.draw(st.lists(st.sampled_from(optional), unique=True, min_size=2))
    catalog = compiled({"args": written(made.written), "one_of": choice}, made.types, dialect)
    validator = jsonschema_rs.validator_for({"$schema": DIALECTS[dialect], **made.schema})
    with imported(catalog) as found:
        for value in (data.draw(values(made.schema)) for _ in range(8)):
            is_one = isinstance(value, dict) and sum(name in value for name in choice) == 1
            accepted = is_one and validator.is_valid(value)
            try_value(found.codec("made.up.act", "args"), value, json.dumps(value), accepted)


@quick
@given(st.data(), st.sampled_from(sorted(DIALECTS)))
def test_unreferenced_names_change_nothing(data: st.DataObject, dialect: str) -> None:
    made = data.draw(args(dialect))
    root, types = json.loads(json.dumps([made.written, made.types]))
    for schema in [*texts_in(root), *texts_in(types), *([root] if not types else [])]:
        if data.draw(st.booleans()):
            schema["$id"] = data.draw(st.sampled_from(["http://a/b", "b", "http://a/c#", "c/d", "/b", "?"]))
    catalog = compiled({"args": written(root)}, types, dialect)
    validator = jsonschema_rs.validator_for({"$schema": DIALECTS[dialect], **made.schema})
    with imported(catalog) as found:
        for value in (data.draw(values(made.schema)) for _ in range(5)):
            accepted = isinstance(value, dict) and validator.is_valid(value)
            try_value(found.codec("made.up.act", "args"), value, json.dumps(value), accepted)


def texts_in(value: Any) -> Iterator[dict[str, Any]]:
    """Return the string schemas in a schema."""
    if isinstance(value, dict):
        if value == TEXT:
            yield value
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)


def compiled(tool: Mapping[str, Any], types: Mapping[str, Any] | None = None, dialect: str = "2020-12") -> Catalog:
    """Compile a toolset with one tool, `act`."""
    found = resolved(spec(tool, types or {}, dialect))
    assert not found.has_errors, found.messages
    return found.catalog


def spec(tool: Mapping[str, Any], types: Mapping[str, Any], dialect: str) -> str:
    """Return the text of that toolset."""
    tools = {"act": {"description": "Acts.", **tool}}
    head = {"toolgen": 1, "toolset": "made.up", "dialect": dialect}
    return json.dumps({**head, "types": {name: written(each) for name, each in types.items()}, "tools": tools})


def required(made: Args) -> list[str]:
    """Return the required outermost fields."""
    schemas = [made.schema, *made.types.values(), *made.schema.get("allOf", ())]
    return [name for schema in schemas for name in schema.get("required", ())]


def without(value: dict[str, Any], names: list[str]) -> dict[str, Any]:
    return {key: inner for key, inner in value.items() if key not in names}
