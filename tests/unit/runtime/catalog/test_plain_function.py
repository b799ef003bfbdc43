"""Plain functions: `@catalog.tool` on a function with individual parameters."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from toolgen.contract.records import FailureKind, ToolResult
from toolgen.runtime import Catalog, Runtime, ToolCallMeta, ToolRequest, allow_all, blocking
from toolgen.runtime.base.errors import CatalogError


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Address(BaseModel):
    city: str
    zip: int | None = None


@dataclass
class Size:
    width: int
    height: int = 1


class Thing:
    """A type without a JSON representation."""


class Options(TypedDict, total=False):
    fast: bool
    note: str


def call(catalog: Catalog, **args: Any) -> ToolResult[Any]:
    runtime = Runtime(catalog, permission=allow_all)
    request = ToolRequest(name="own.tool", payload=json.dumps(args))
    return asyncio.run(runtime.invoke(request, meta=ToolCallMeta(user="ann")))


def registered(function: Any, **options: Any) -> Catalog:
    catalog = Catalog()
    catalog.tool("own.tool", description="A tool.", **options)(function)
    return catalog


def test_several_parameters_with_all_features_of_signatures() -> None:
    seen: dict[str, Any] = {}

    def order(
        name: Annotated[str, Field(min_length=2, description="What to order.")],
        meta: ToolCallMeta,
        count: int = 1,
        colour: Colour = Colour.RED,
        speed: Literal["slow", "fast"] = "slow",
        to: Address | None = None,
        size: Size | None = None,
        options: Options | None = None,
        when: datetime | None = None,
        day: date = date(2026, 1, 1),
        number: int | str = 0,
        words: list[str] = [],  # noqa: B006  # pydantic copies it
        *,
        key: UUID | None = None,
    ) -> str:
        seen.update(locals())
        return "done"

    catalog = registered(order)
    schema = catalog.schema("own.tool", "args")
    assert schema["required"] == ["name"]
    assert schema["additionalProperties"] is False
    assert list(schema["properties"]) == [
        "name", "count", "colour", "speed", "to", "size", "options", "when", "day", "number", "words", "key",
    ]  # fmt: skip
    assert schema["properties"]["name"] == {"type": "string", "minLength": 2, "description": "What to order."}
    assert schema["properties"]["count"] == {"type": "integer", "default": 1}
    assert schema["properties"]["colour"]["enum"] == ["red", "blue"]
    assert schema["properties"]["speed"]["enum"] == ["slow", "fast"]
    assert schema["properties"]["when"]["anyOf"][0] == {"type": "string", "format": "date-time"}
    result = call(
        catalog,
        name="hat",
        colour="blue",
        to={"city": "Oslo"},
        size={"width": 3},
        options={"fast": True},
        when="2026-02-03T04:05:06Z",
        number="seven",
        key="12345678-1234-5678-1234-567812345678",
    )
    assert result.value == "done", result.error
    assert seen["name"] == "hat"
    assert seen["meta"].user == "ann"
    assert seen["count"] == 1
    assert seen["colour"] is Colour.BLUE
    assert seen["to"] == Address(city="Oslo")
    assert seen["size"] == Size(3)
    assert seen["options"] == {"fast": True}
    assert seen["when"] == datetime.fromisoformat("2026-02-03T04:05:06+00:00")
    assert seen["day"] == date(2026, 1, 1)
    assert seen["number"] == "seven"
    assert seen["words"] == []
    assert seen["key"] == UUID("12345678-1234-5678-1234-567812345678")


def test_an_invalid_call_names_the_parameter() -> None:
    def add(a: int, b: int) -> int:
        return a + b

    catalog = registered(add)
    assert call(catalog, a=1, b=2).value == 3
    result = call(catalog, a=1, b="2", c=3)
    assert result.error is not None
    assert result.error.kind is FailureKind.INVALID_CALL
    assert {issue.pointer for issue in result.error.issues} == {"/b", "/c"}


def test_names_reserved_by_pydantic_are_accepted() -> None:
    def tool(copy: str, model_config: int, json: bool, class_: str = "x", _hidden: int = 4) -> list[Any]:
        return [copy, model_config, json, class_, _hidden]

    assert call(registered(tool), copy="a", model_config=1, json=True).value == ["a", 1, True, "x", 4]


def test_async_blocking_positional_and_one_parameter() -> None:
    async def double(number: int, /) -> int:
        return number * 2

    @blocking
    def triple(number: int) -> int:
        return number * 3

    assert call(registered(double), number=2).value == 4
    assert call(registered(triple), number=2).value == 6


def test_a_model_beside_other_parameters_is_one_of_them() -> None:
    def send(to: Address, note: str) -> str:
        return f"{to.city}: {note}"

    assert call(registered(send), to={"city": "Oslo"}, note="hi").value == "Oslo: hi"


def test_functions_with_one_model_are_unchanged() -> None:
    def send(to: Address, meta: ToolCallMeta, cached: int = 1) -> str:
        return to.city

    catalog = registered(send, profile="full")
    assert set(catalog.schema("own.tool", "args")["properties"]) == {"city", "zip"}
    assert call(catalog, city="Oslo").value == "Oslo"


def test_invalid_parameters_are_an_error_with_the_reason() -> None:
    def unknown(thing: Thing, n: int) -> None: ...
    def many(n: int, **rest: str) -> None: ...
    def bare(a, b) -> None: ...  # type: ignore[no-untyped-def]  # under test

    with pytest.raises(CatalogError, match=r"unknown cannot be a tool: .*Thing"):
        registered(unknown)
    with pytest.raises(CatalogError, match=r"many takes `\*\*rest: ?'?str'?`, so its args are not known"):
        registered(many)
    with pytest.raises(CatalogError, match="bare has no args schema"):
        registered(bare)
