"""Results of tools whose schema was inferred: typed where they fit, else reported and returned."""

from __future__ import annotations

import asyncio
import importlib
import logging
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.case import write
from tests.unit.cli.command_line import toolgen
from tests.unit.compiler.specs import resolved
from toolgen.compiler.compile import generate
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolError, ToolRequest, ToolResult, ToolsetRegistration
from toolgen.record.memory import MemoryStore
from toolgen.record.stores import open_store
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
  find:
    description: Find.
    permission: readonly
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
    assert "the result of mcp.shop.guessed differs from its schema: /n: " in caplog.text


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


UNTYPED = """\
toolgen: 1
toolset: mcp.shop
kind: mcp
tools:
  find:
    description: Find.
    permission: readonly
"""


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_results_on_record_become_schemas(
    tmp_path: Path, package: str, kind: str, request: pytest.FixtureRequest
) -> None:
    place = request.getfixturevalue("postgres_url") if kind == "postgres" else "calls.db"
    outcomes = [
        ToolResult(payload=b'"{\\"n\\": 1}"'),  # JSON in a text, as servers without result schemas answer
        {"n": 2, "note": "x"},
        ToolResult(error=ToolError(message="no", kind=FailureKind.DOMAIN_REJECTION, code="no")),
    ]

    class Server:
        async def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> Any:
            return outcomes.pop(0)

    async def record() -> None:
        store = open_store(place if kind == "postgres" else tmp_path / place)
        catalog = load(package)
        executors = [ToolsetRegistration(toolset="mcp.shop", executor=Server())]
        runtime = Runtime(catalog, executors=executors, permission=allow_all, store=store)
        for _ in range(3):
            await runtime.invoke(ToolRequest(name="mcp.shop.find"), meta=ToolCallMeta(run_id="r"))
        await store.close()

    asyncio.run(record())
    (tmp_path / "specs").mkdir()
    spec = tmp_path / "specs" / "shop.yaml"
    spec.write_text(UNTYPED)
    done = toolgen(tmp_path, "import", "mcp", "--toolset", "mcp.shop", "--results", place)
    assert (done.code, done.out) == (0, "specs/shop.yaml: 1 result schema inferred\n"), done.err
    found = yaml.safe_load(spec.read_text())["tools"]["find"]
    assert found["result_inferred"] is True
    assert found["result"] == {
        "type": "object",
        "required": ["n"],
        "properties": {"n": {"type": "integer"}, "note": {"type": "string"}},
    }
    (tmp_path / "other.db").write_bytes(b"SQLite format 3\0 and no more")
    refused = toolgen(tmp_path, "import", "mcp", "--toolset", "mcp.shop", "--results", "other.db")
    assert refused.code == 2
    assert "Error: other.db: " in refused.err


def test_no_json_is_no_result_of_any_schema(package: str) -> None:
    result, _ = call(package, "guessed", {"n": object()})
    assert result.error is not None
    assert result.error.kind is FailureKind.MALFORMED_RESULT
