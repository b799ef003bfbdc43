"""Servers that answer anything: each call ends as a result that says whose fault it is."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.shared.exceptions import MCPError

from tests.unit.cli.forked_python import forked_python
from tests.unit.execute.mcp.conftest import TOOLS
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest
from toolgen.execute.mcp import McpServer, mcp_executor
from toolgen.execute.mcp.connection import Connection
from toolgen.execute.mcp.failures import failed
from toolgen.runtime import Runtime, allow_all, load

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult

PROGRAM = Path(__file__).with_name("raw_server.py")

values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
texts = st.text(max_size=5) | st.sampled_from(["iVBORw0=", "=", '"\\ud800"', "[" * 500, "NaN", "1e999"])


@st.composite
def blocks(draw: st.DrawFn) -> dict[str, Any]:
    """Content blocks, near what MCP says."""
    kind = draw(st.sampled_from(["text", "image", "audio", "resource", "resource_link", "future"]))
    names = ["text", "data", "mimeType", "uri", "name", "blob"]
    fields: dict[str, Any] = {name: draw(texts) for name in names if draw(st.booleans())}
    if kind == "resource":
        fields = {"resource": {"uri": "a:b", **fields}}
    return {"type": kind, **fields, **draw(st.dictionaries(st.sampled_from(names), values, max_size=1))}


answers = st.dictionaries(st.text(max_size=5), values, max_size=2) | st.fixed_dictionaries(
    {"content": st.lists(blocks(), max_size=2) | values},
    optional={
        "structuredContent": values,
        "isError": st.booleans() | values,
        "_meta": values,
        "resultType": st.sampled_from(["complete", "input_required"]),
    },
)


def connect(folder: Path, package: str, listed: Any) -> Runtime:
    (folder / "tools.json").write_text(json.dumps(listed))
    catalog = load(package)
    server = McpServer(stdio=(forked_python(), str(PROGRAM), str(folder)), retries=0)
    return Runtime(catalog, executors=[mcp_executor(catalog, "mcp.shop", server=server)], permission=allow_all)


async def called(runtime: Runtime, name: str, answer: Any) -> ToolResult[Any]:
    request = ToolRequest(name=f"mcp.shop.{name}", payload=json.dumps({"answer": answer}))
    return await asyncio.wait_for(runtime.invoke(request), 20)


together = given(found=st.lists(answers, min_size=20, max_size=20))
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@settings(unhurried, max_examples=12)
@together
def test_every_answer_of_a_server_ends_as_a_result(tmp_path: Path, demo_package: str, found: list[Any]) -> None:
    check_results(tmp_path, demo_package, found)


@pytest.mark.long
@settings(unhurried, max_examples=100)
@together
def test_each_of_more_answers_ends_as_a_result(tmp_path: Path, demo_package: str, found: list[Any]) -> None:
    check_results(tmp_path, demo_package, found)


def check_results(tmp_path: Path, demo_package: str, found: list[Any]) -> None:
    async def results() -> list[ToolResult[Any]]:
        runtime = connect(tmp_path, demo_package, {"tools": TOOLS})
        return [await called(runtime, name, answer) for answer in found for name in ("echo", "picture")]

    for result in asyncio.run(results()):
        assert result.error is None or result.error.kind in {
            FailureKind.DOMAIN_REJECTION,
            FailureKind.MALFORMED_RESULT,
        }, result.error


@pytest.mark.parametrize(
    ("answer", "code", "says"),
    [
        ({"content": 1}, "invalid_answer", "content"),
        ({"content": [], "structuredContent": [1]}, "invalid_answer", "structuredContent"),
        ({"content": []}, "invalid_structured_content", "did not return structured content"),
    ],
)
def test_a_malformed_answer_is_a_malformed_result(
    tmp_path: Path, demo_package: str, answer: Any, code: str, says: str
) -> None:
    result = asyncio.run(called(connect(tmp_path, demo_package, {"tools": TOOLS}), "echo", answer))
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.MALFORMED_RESULT, code)
    assert says in result.error.message


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_a_number_that_json_does_not_have_is_no_null(tmp_path: Path, demo_package: str, number: str) -> None:
    wrong: list[dict[str, Any]] = [
        {"content": [], "structuredContent": {"count": f"number {number}"}},
        {"content": [], "structuredContent": {"count": 1, "deep": [{"x": [f"number {number}"]}]}},
        {"content": [], "structuredContent": {"count": 1}, "_meta": {"x": f"number {number}"}},
        {"content": [{"type": "text", "text": "a", "_meta": {"x": f"number {number}"}}] * 2},
    ]

    async def results() -> list[ToolResult[Any]]:
        runtime = connect(tmp_path, demo_package, {"tools": TOOLS})
        return [await called(runtime, "picture", answer) for answer in wrong]

    for result in asyncio.run(results()):
        assert result.error is not None
        assert (result.error.code, result.error.kind) == ("malformed_result", FailureKind.MALFORMED_RESULT)
        assert "NaN or an infinity" in result.error.message


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (-32000, "mcp_error_-32000"),
        (7, "mcp_error_7"),
        (2**31 - 1, "mcp_error_2147483647"),
        *((code, "mcp_error") for code in (2**31, -(2**31), 10**30, 10**4000, -(10**4999))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_error_code_of_any_length_is_short(code: int, expected: str) -> None:
    assert failed(MCPError(code=code, message="x"), str).code == expected


def test_binary_content_that_is_not_base64_is_said_to_be(tmp_path: Path, demo_package: str) -> None:
    image = {"type": "image", "data": "no!", "mimeType": "image/png"}
    text = {"type": "text", "text": "Here it is."}
    answer = {"content": [text, image]}
    result = asyncio.run(called(connect(tmp_path, demo_package, {"tools": TOOLS}), "picture", answer))
    assert result.error is None
    assert [block.data for block in result.blocks] == ["Here it is.", "[image: image/png, not base64]"]


@pytest.mark.parametrize("listed", [{"tools": 1}, {"tools": [{"name": "echo"}]}, {}])
def test_a_malformed_list_makes_the_server_unavailable(tmp_path: Path, demo_package: str, listed: Any) -> None:
    result = asyncio.run(called(connect(tmp_path, demo_package, listed), "echo", {}))
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.UNAVAILABLE, "invalid_list")


@pytest.mark.parametrize("last", [{}, {"nextCursor": ""}, {"nextCursor": None}])
def test_a_list_without_a_cursor_is_at_its_end(tmp_path: Path, demo_package: str, last: dict[str, Any]) -> None:
    answer: dict[str, Any] = {"content": [], "structuredContent": {}}
    result = asyncio.run(called(connect(tmp_path, demo_package, {"tools": TOOLS, **last}), "echo", answer))
    assert result.error is None, result.error


ECHO = {"name": "echo", "inputSchema": {"type": "object"}, "title": 4}


@pytest.mark.parametrize("wrong", [{**ECHO, "name": "other"}, ECHO, 3, {"name": [1]}])
def test_a_malformed_tool_fails_its_own_calls_only(tmp_path: Path, demo_package: str, wrong: Any) -> None:
    others = [tool for tool in TOOLS if not isinstance(wrong, dict) or tool["name"] != wrong["name"]]

    async def results() -> list[ToolResult[Any]]:
        runtime = connect(tmp_path, demo_package, {"tools": [wrong, *others]})
        answer: dict[str, Any] = {"content": [], "structuredContent": {}}
        return [await called(runtime, name, answer) for name in ("picture", "echo")]

    picture, echo = asyncio.run(results())
    assert picture.error is None, picture.error
    if wrong == ECHO:
        assert echo.error is not None
        assert (echo.error.kind, echo.error.code) == (FailureKind.UNAVAILABLE, "invalid_list")
        assert "`echo`: title: Input should be a valid string" in echo.error.message
    else:
        assert echo.error is None, echo.error


def test_a_missing_sdk_says_what_to_install() -> None:
    code = "import sys; sys.modules['mcp'] = None; import toolgen.execute.mcp"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        'toolgen.contract.extras.MissingExtra: toolsets of kind mcp need the SDK of MCP: pip install "toolgen[mcp]"'
    )


@pytest.mark.parametrize("key", ["run-1:c1", ""])
def test_the_idempotency_key_of_a_call_is_in_its_meta(tmp_path: Path, demo_package: str, key: str) -> None:
    async def main() -> Any:
        runtime = connect(tmp_path, demo_package, {"tools": TOOLS})
        request = ToolRequest(name="mcp.shop.echo", payload='{"answer": "meta"}')
        return (await runtime.invoke(request, meta=ToolCallMeta(idempotency_key=key))).value

    assert asyncio.run(main()).get("toolgen/idempotency-key", "") == key


@pytest.mark.parametrize("amid", ["the list", "the call"])
def test_an_error_of_toolgen_amid_a_message_is_told_and_logged(
    tmp_path: Path, demo_package: str, amid: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    read = Connection._read

    def failing(connection: Connection, result: dict[str, Any]) -> dict[str, Any]:
        if ("tools" if amid == "the list" else "content") in result:
            raise LookupError("a mistake")
        return read(connection, result)

    monkeypatch.setattr(Connection, "_read", failing)
    result = asyncio.run(called(connect(tmp_path, demo_package, {"tools": TOOLS}), "echo", {"content": []}))
    assert result.error is not None
    assert "a message of the server cannot be handled: LookupError" in result.error.message
    (logged,) = (each for each in caplog.records if "cannot be handled" in each.message)
    assert logged.exc_info is not None
