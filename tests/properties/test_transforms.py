"""What a method gets of args is what its tool declares: each valid call reaches it, with the defaults of the tool."""

from __future__ import annotations

import asyncio
import json
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.codecs.test_codecs import unhurried
from tests.properties.package import imported, same
from tests.properties.values import values
from tests.unit.compiler.specs import resolved, toolset
from toolgen.contract.records import FailureKind, ToolRequest
from toolgen.runtime import Runtime, allow_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypothesis.strategies import DrawFn

SCALARS: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    "integer": (
        {},
        {"maximum": 3},
        {"maximum": 7},
        {"minimum": 2, "maximum": 9, "multipleOf": 2},
        {"exclusiveMinimum": 1},
    ),
    "string": ({}, {"maxLength": 1}, {"maxLength": 3}, {"minLength": 1}, {"pattern": "^a"}),
    "array": ({}, {"maxItems": 1}, {"minItems": 1}),
    "object": ({}, {"maxProperties": 1}),
}
DEFAULTS: Final[dict[str, tuple[Any, ...]]] = {"integer": (2, 4), "string": ("a", "ab")}


class Pair(NamedTuple):
    """The schema of a tool, and that of its method, which is the same but for one keyword at most."""

    tool: dict[str, Any]
    method: dict[str, Any]


@st.composite
def pairs(draw: DrawFn, depth: int, *, differs: bool) -> Pair:
    """Draw two schemas with one other keyword if they differ."""
    kinds = ["integer", "string", *(["array", "object", *["fields"] * 4] if depth else [])]
    kind = draw(st.sampled_from(kinds))
    if kind == "fields":
        return draw(objects(depth, differs=differs))
    if kind not in ("array", "object"):
        return draw(varied(Pair({"type": kind}, {"type": kind}), SCALARS[kind], differs=differs))
    is_below = draw(st.booleans())
    inner = draw(pairs(depth - 1, differs=differs and is_below))
    keyword = "items" if kind == "array" else "additionalProperties"
    outer = Pair({"type": kind, keyword: inner.tool}, {"type": kind, keyword: inner.method})
    return draw(varied(outer, SCALARS[kind], differs=differs and not is_below))


@st.composite
def objects(draw: DrawFn, depth: int, *, differs: bool) -> Pair:
    """Draw two objects with the same fields, of which one differs."""
    names = draw(st.lists(st.sampled_from(["a", "b"]), unique=True, min_size=1))
    found: dict[str, Pair] = {}
    for name in names:
        is_other = differs and name == names[0]
        has_other_default = is_other and draw(st.booleans())
        field = draw(pairs(depth - 1, differs=is_other and not has_other_default))
        defaults = ({}, *({"default": value} for value in DEFAULTS.get(field.tool["type"], ())))
        found[name] = draw(varied(field, defaults, differs=has_other_default))
    closed = {"type": "object", "additionalProperties": False}
    tool = {**closed, "properties": {name: field.tool for name, field in found.items()}}
    return Pair(tool, {**closed, "properties": {name: field.method for name, field in found.items()}})


@st.composite
def varied(draw: DrawFn, pair: Pair, keywords: Sequence[dict[str, Any]], *, differs: bool) -> Pair:
    """Add the same keywords to both, or others."""
    one = draw(st.sampled_from(keywords))
    other = draw(st.sampled_from([each for each in keywords if each != one] or keywords)) if differs else one
    return Pair({**pair.tool, **one}, {**pair.method, **other})


class Service:
    """A service that notes what it gets."""

    def __init__(self, result: Any) -> None:
        self.result = result
        self.got: list[Any] = []

    def act(self, payload: Any) -> Any:
        self.got.append(payload)
        return self.result(ok="y")


@settings(unhurried, max_examples=120)
@given(objects(3, differs=True), st.data())
def test_a_method_gets_what_the_args_of_its_tool_are(pair: Pair, data: st.DataObject) -> None:
    result = {"ok": "string"}
    found = resolved(
        toolset(
            {"act": {"args": pair.tool, "result": result, "bind": "Act"}},
            methods={"Act": {"payload": pair.method, "result": result}},
        )
    )
    if found.has_errors or "TG404" in found.codes:
        return
    with imported(found.catalog) as loaded:
        shop = import_module(f"{loaded.package}.tools.shop")
        service = Service(shop.ActMethodResult)
        runtime = Runtime(loaded, executors=[shop.executor_from(service)], permission=allow_all)
        for value in (data.draw(values(pair.tool)) for _ in range(5)):
            request = ToolRequest(name="shop.act", payload=json.dumps(value))
            answer = asyncio.run(runtime.invoke(request))
            if answer.error is None:
                args = shop.codecs.args(shop.ACT).decode(json.dumps(value))
                assert same(service.got.pop().model_dump(by_alias=True), args.model_dump(by_alias=True))
            else:
                assert answer.error.kind is not FailureKind.INTERNAL, answer.error
