"""Stubs: tools as functions. They are small, share types, and cannot be broken by the text of specs."""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.compiler.specs import resolved, stubs_of, toolset
from tests.work import at_most_calls
from toolgen.llm.codeact.stubs import CompiledStubs
from toolgen.providers.stubs import (
    DESCRIPTION_LIMIT,
    Key,
    ObjectType,
    ObjectTypes,
    Parameter,
    ToolTypes,
    is_python_name,
    parameter_names,
    prose,
    python_function_name,
    stub_of,
)

if TYPE_CHECKING:
    from toolgen.providers.stubs import Stub

NULL_TEXT = {"type": ["string", "null"], "default": None}
ITEM = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}


def compiled(**tools: Any) -> tuple[CompiledStubs, dict[str, Stub]]:
    """Return the stubs of tools of the toolset `shop`."""
    found = resolved(toolset({name: {"description": "A tool.", **spec} for name, spec in tools.items()}))
    stubs = CompiledStubs(stubs_of(found.catalog).encode())
    return stubs, {name: stub for name in tools if (stub := stubs.get(f"shop.{name}"))}


def args(**properties: Any) -> dict[str, Any]:
    return {"args": {"type": "object", "properties": properties}}


def test_a_tool_is_a_function_with_its_description_and_those_of_its_parameters() -> None:
    spec = {
        "description": "Find orders.\n\nBy words.",
        "args": {
            "type": "object",
            "required": ["query"],
            "properties": {
                "limit": {"type": "integer", "default": 10},
                "query": {"type": "string", "description": "Words  to\nlook for."},
                "state": {"enum": ["open", "closed"]},
                "tags": {"type": "array", "items": {"type": "string"}},
                "price": {"type": "number"},
                "extra": {},
                "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
            },
        },
        "result": {"type": "array", "items": {"type": "string"}},
    }
    _, stubs = compiled(find=spec)
    assert stubs["find"].source == (
        'def shop__find(query: str, limit: int = 10, state: Literal["open", "closed"] = ..., tags: list[str] = ..., '
        "price: float = ..., extra: Any = ..., counts: dict[str, int] = ...) -> list[str]:\n"
        ' """Find orders. By words.\n query: Words to look for."""\n'
    )
    assert stubs["find"].parameters[:2] == (("query", "query"), ("limit", "limit"))


def test_objects_are_typed_dicts_and_equal_ones_share_a_type() -> None:
    filters = {"type": "object", "properties": {"author": {**NULL_TEXT, "description": "Who wrote it."}}}
    page = {"type": "object", "properties": {"items": {"type": "array", "items": ITEM}}, "required": ["items"]}
    stubs, found = compiled(
        list_a={**args(filters=filters), "result": page}, list_b={**args(filters=filters), "result": page}
    )
    assert {stub.types for stub in found.values()} == {("Filters", "ItemsItem", "Result")}
    assert stubs.types == {
        "Filters": "class Filters(TypedDict, total=False):\n author: str | None  # Who wrote it.\n",
        "Result": "class Result(TypedDict):\n items: list[ItemsItem]\n",
        "ItemsItem": "class ItemsItem(TypedDict):\n id: int\n",
    }


def test_types_that_differ_in_nested_fields_are_distinct_and_cycles_end() -> None:
    def tree(leaf: str) -> dict[str, Any]:
        node = {
            "type": "object",
            "properties": {"leaf": {"type": leaf}, "below": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
        }
        return {"args": {"type": "object", "properties": {"top": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}}}

    _, found = compiled(one=tree("string"), two=tree("string"), three=tree("integer"))
    assert found["one"].types == found["two"].types != found["three"].types
    assert len({name for stub in found.values() for name in stub.types}) == 2


@given(st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 11), max_size=3)), min_size=1, max_size=12))
def test_objects_share_a_type_if_nothing_in_them_differs(graph: list[tuple[bool, list[int]]]) -> None:
    graph = [(is_other, [each % len(graph) for each in below]) for is_other, below in graph]
    equal = {(one, two) for one in range(len(graph)) for two in range(len(graph))}
    while True:
        kept = {
            (one, two)
            for one, two in equal
            if graph[one][0] == graph[two][0] and len(graph[one][1]) == len(graph[two][1])
            if all(pair in equal for pair in zip(graph[one][1], graph[two][1], strict=True))
        }
        if kept == equal:
            break
        equal = kept
    names = type_names(graph)
    assert {(one, two) for one in range(len(graph)) for two in range(len(graph)) if names[one] == names[two]} == equal


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["chain", "cycle", "cycle with one other", "tree", "diamonds"])
@pytest.mark.variants(2)
def test_types_of_many_objects_cost_little_more_than_one_look_at_each(shape: str) -> None:
    size = 3_000
    below: dict[str, list[list[int]]] = {
        "chain": [[number + 1] for number in range(size - 1)] + [[]],
        "cycle": [[(number + 1) % size] for number in range(size)],
        "cycle with one other": [[(number + 1) % size] for number in range(size)],
        "tree": [[each for each in (2 * number + 1, 2 * number + 2) if each < size] for number in range(size)],
        "diamonds": [[number + 1, number + 1] for number in range(size - 1)] + [[]],
    }
    with at_most_calls(400 * size):
        type_names([(shape == "cycle with one other" and not number, held) for number, held in enumerate(below[shape])])


def type_names(graph: list[tuple[bool, list[int]]]) -> list[str]:
    """Return the names of the types of objects: whether each has another key, and the objects that it holds."""
    objects = tuple(
        ObjectType(
            f"Made{number}",
            (
                *(Key(f"k{place}", f"\0{held}\0", True, "", "...") for place, held in enumerate(below)),
                *([Key("other", "str", True, "", "...")] if is_other else ()),
            ),
            is_open=False,
        )
        for number, (is_other, below) in enumerate(graph)
    )
    types = ObjectTypes()
    types.add(ToolTypes("", (), "Any", False, objects))
    types.finish(set())
    return [types.written(f"\0{number}\0") for number in range(len(graph))]


def test_keys_that_are_not_identifiers_use_the_functional_syntax() -> None:
    headers = {"type": "object", "properties": {"Content-Type": {"type": "string"}, "class": {"type": "integer"}}}
    stubs, found = compiled(send=args(headers=headers, **{"self": {}, "from": {}, "X-Id": {"type": "string"}}))
    assert found["send"].parameters == (
        ("headers", "headers"), ("self", "self"), ("from_", "from"), ("X_Id", "X-Id")
    )  # fmt: skip
    (source,) = stubs.types.values()
    assert source.endswith('{"Content-Type": "NotRequired[str]", "class": "NotRequired[int]"})\n')


def test_keys_named_like_types_do_not_shadow_them() -> None:
    hiding = {
        "type": "object",
        "properties": {"str": {"type": "integer"}, "name": {"type": "string"}},
        "required": ["str", "name"],
    }
    plain = {"type": "object", "properties": {"str": {"type": "integer"}}, "required": ["str"]}
    commented = {"type": "object", "properties": {"by": {"enum": ["a  # b"]}}, "required": ["by"]}
    stubs, _ = compiled(a=args(hiding=hiding, plain=plain, commented=commented))
    assert stubs.types == {
        "AArgsHiding": 'AArgsHiding = TypedDict("AArgsHiding", {"str": "int", "name": "str"})\n',
        "AArgsPlain": "class AArgsPlain(TypedDict):\n str: int\n",
        "AArgsCommented": 'AArgsCommented = TypedDict("AArgsCommented", {"by": \'Literal["a  # b"]\'})\n',
    }
    assert stubs.open_types == {"AArgsHiding", "AArgsPlain", "AArgsCommented"}


def test_a_tool_that_takes_any_object_takes_any_keyword() -> None:
    _, found = compiled(
        put={"args": {"type": "object"}}, stop={"args": {"type": "object", "additionalProperties": False}}
    )
    assert found["put"].source.startswith("def shop__put(**arguments: Any) -> ")
    assert found["stop"].source.startswith("def shop__stop() -> ")


HOSTILE = st.text(st.sampled_from("\"'\\\n\r\t`#{}:()\u202e\u2028\x00\x0cab ")) | st.text()


def shape_of(source: str) -> str:
    """Return the syntax tree of a definition without the text of its docstring."""
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    (docstring,) = function.body
    assert isinstance(docstring, ast.Expr)
    assert isinstance(docstring.value, ast.Constant)
    assert isinstance(docstring.value.value, str)
    docstring.value.value = ""
    return ast.dump(function)


@given(description=HOSTILE, note=HOSTILE)
def test_no_text_breaks_out_of_a_stub(description: str, note: str) -> None:
    def stub(description: str, note: str) -> str:
        parameters = [Parameter(python="x", wire="x", type="int", required=True, description=note)]
        return stub_of("f", parameters, "Any", description, types=()).source

    source = stub(description, note)
    assert shape_of(source) == shape_of(stub("", ""))
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    found = ast.get_docstring(function, clean=False)
    lines = [prose(description, DESCRIPTION_LIMIT), *([f"x: {prose(note, 120)}"] if prose(note, 120) else [])]
    assert found == "\n ".join(lines)
    assert all(line.isprintable() for line in source.split("\n"))
    assert "```" not in {line.strip()[:3] for line in source.split("\n")}


@given(name=HOSTILE, description=HOSTILE, choice=HOSTILE)
def test_no_spec_breaks_out_of_its_types(name: str, description: str, choice: str) -> None:
    nested = {"type": "object", "properties": {name: {"type": "string", "description": description}}}
    found = resolved(toolset({"a": {"description": "x", **args(of={"enum": [choice]}, nested=nested)}}))
    if found.has_errors:
        return
    document = json.loads(stubs_of(found.catalog))
    (definition,) = ast.parse(document["types"]["AArgsNested"]).body
    assert isinstance(definition, ast.ClassDef | ast.Assign)
    signature = ast.parse(document["tools"]["shop.a"]["source"]).body[0]
    assert isinstance(signature, ast.FunctionDef)
    annotation = signature.args.args[0].annotation
    assert isinstance(annotation, ast.Subscript)
    assert ast.literal_eval(annotation.slice) == choice


@given(st.lists(HOSTILE, unique=True, max_size=6))
def test_parameter_names_are_one_to_one_and_identifiers_are_unchanged(names: list[str]) -> None:
    spelled = parameter_names(names)
    assert list(spelled) == names
    assert len(set(spelled.values())) == len(names)
    assert all(is_python_name(python) for python in spelled.values())
    assert all(spelled[name] == name for name in names if is_python_name(name))


@given(st.text(st.sampled_from("ab_-.1Z"), min_size=1, max_size=64), st.text(st.sampled_from("ab_-.1Z"), min_size=1))
def test_function_names_are_one_to_one_and_identifiers(one: str, other: str) -> None:
    assert is_python_name(python_function_name(one))
    assert (python_function_name(one) == python_function_name(other)) == (one == other)


@pytest.mark.parametrize("wire", ["print", "class", "list", "result", "Any", "_hidden", "a-b", "3d", "PermissionError"])
def test_names_already_used_in_code_are_not_tool_names(wire: str) -> None:
    spelled = python_function_name(wire)
    assert spelled != wire
    assert spelled.rpartition("___")[0].removeprefix("tool_") == wire.replace("-", "_")
    assert spelled[0].isalpha()


def test_a_name_that_is_a_valid_function_name_is_unchanged() -> None:
    assert python_function_name("code__read_file") == "code__read_file"
