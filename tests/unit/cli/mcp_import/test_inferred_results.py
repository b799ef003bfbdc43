"""Results of tools whose schema was inferred: typed where they fit, else reported and returned."""

from __future__ import annotations

import asyncio
import importlib
import logging
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.case import write
from tests.unit.compiler.specs import resolved
from toolgen.compiler.build import generate
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest, ToolResult, ToolsetRegistration
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Runtime, allow_all, load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SPEC = """
toolgen: 1
toolset: mcp.shop
kind: mcp
tools:
  guessed:
    description: Guessed.
    permission: readonly
    result: {type: object, properties: {n: {type: integer}, token: {type: string, maxLength: 5}}, required: [n]}
    result_inferred: true
  confirmed:
    description: Confirmed.
    permission: readonly
    result: {type: object, properties: {n: {type: integer}}, required: [n]}
    result_inferred: false
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("inferred")
    found = resolved(SPEC)
    assert not found.has_errors, found.messages
    write(folder / "inferred_results", generate(found.catalog))
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    yield "inferred_results"
    sys.path.remove(str(folder))


def call(package: str, tool: str, outcome: Any) -> tuple[ToolResult[Any], list[Any]]:
    class Server:
        async def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> Any:
            return outcome

    async def called() -> tuple[ToolResult[Any], list[Any]]:
        store = MemoryStore()
        executors = [ToolsetRegistration(toolset="mcp.shop", executor=Server())]
        runtime = Runtime(load(package), executors=executors, permission=allow_all, store=store)
        result = await runtime.invoke(ToolRequest(name=f"mcp.shop.{tool}"), meta=ToolCallMeta(run_id="r"))
        return result, list((await store.read("r")).events)

    return asyncio.run(called())


def test_a_result_that_fits_is_typed(package: str) -> None:
    result, events = call(package, "guessed", {"n": 1})
    assert result.value is not None
    assert result.value.n == 1
    assert [event.kind for event in events if event.kind == "result_differs"] == []


@pytest.mark.parametrize("outcome", [{"n": "one", "token": 5}, ToolResult(payload=b'{"n":"one","token":5}')])
def test_a_result_that_differs_is_reported_and_returned(
    package: str, outcome: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "toolgen"):
        result, events = call(package, "guessed", outcome)
    assert (result.error, result.value, result.payload) == (None, {"n": "one", "token": 5}, b'{"n":"one","token":5}')
    (event,) = [event for event in events if event.kind == "result_differs"]
    assert [issue["pointer"] for issue in event.data["issues"]] == ["/n", "/token"]
    assert "the result of mcp.shop.guessed differs from its inferred schema: /n: " in caplog.text


def test_secrets_of_a_result_that_differs_are_in_no_report(package: str, caplog: pytest.LogCaptureFixture) -> None:
    _, events = call(package, "guessed", {"n": 1, "token": "hunter2"})
    assert "hunter2" not in caplog.text
    (event,) = [event for event in events if event.kind == "result_differs"]
    assert [issue["pointer"] for issue in event.data["issues"]] == ["/token"]
    assert "hunter2" not in str(event.data)


def test_a_confirmed_schema_holds(package: str) -> None:
    result, _ = call(package, "confirmed", {"n": "one"})
    assert result.error is not None
    assert result.error.kind is FailureKind.MALFORMED_RESULT


def test_no_json_is_no_result_of_any_schema(package: str) -> None:
    result, _ = call(package, "guessed", {"n": object()})
    assert result.error is not None
    assert result.error.kind is FailureKind.MALFORMED_RESULT
