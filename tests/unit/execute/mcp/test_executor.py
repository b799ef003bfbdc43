"""Calls of MCP tools on real servers: what arrives, what comes back, and what becomes of servers that fail."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest

from tests.unit.compiler.importers.importing import import_tools
from tests.unit.execute.http.api import package_of
from tests.unit.execute.mcp.conftest import TOOLS
from tests.unit.runtime.telemetry.spans import Kept, attributes_of, id_of
from toolgen.contract.records import ContentBlock, FailureKind, ToolCallMeta, ToolRequest
from toolgen.execute.mcp import McpExecutor, McpHost, McpServer, mcp_executor
from toolgen.execute.mcp.executor import IDEMPOTENCY_KEY
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Runtime, allow_all, load
from toolgen.runtime.base.errors import ExecutorError
from toolgen.runtime.codec.codec import Codec

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.execute.mcp.conftest import Demo

NUMBERS = iter(range(1000))
every_transport = pytest.mark.parametrize("transport", ["stdio", "http", "sse"])


async def until(holds: Callable[[], bool]) -> None:
    for _ in range(1_500):
        if holds():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it did not come")


def events(found: list[Any], kind: str) -> list[Any]:
    return [event.data for event in found if event.kind == kind]


@every_transport
def test_goa_13_two_failures_to_connect_and_a_result_make_three_attempts(
    start: Callable[..., Demo], transport: str
) -> None:
    demo = start(transport)
    demo.fail(2 if transport != "http" else 4)  # each connection over HTTP asks twice: `server/discover`, `initialize`
    kept = Kept()

    (result,), found = demo.results(("echo", {"a": [1, None, {"é": 1.5}]}), telemetry=kept.telemetry)

    assert result.value == {"a": [1, None, {"é": 1.5}]}
    attempts = events(found, "mcp_attempt")
    assert [(each["attempt"], each["outcome"]) for each in attempts] == [
        (1, "server_unreachable"),
        (2, "server_unreachable"),
        (3, "answered"),
    ]
    assert all(each["ms"] > 0 for each in attempts)
    assert demo.calls == ['echo {"a": [1, null, {"\\u00e9": 1.5}]}']
    own = [span for span in kept.spans if span.name.startswith("attempt")]
    assert [(span.name, attributes_of(span)) for span in own] == [
        ("attempt 1", {"toolgen.attempt": 1, "error.type": "server_unreachable"}),
        ("attempt 2", {"toolgen.attempt": 2, "error.type": "server_unreachable"}),
        ("attempt 3", {"toolgen.attempt": 3}),
    ]
    call = kept.named("execute_tool mcp.shop.echo")
    assert {span.parent.span_id for span in own if span.parent} == {id_of(call)[1]}
    assert attributes_of(call)["mcp.method.name"] == "tools/call"


def test_goa_11_the_bytes_of_the_args_reach_the_executor_and_their_json_the_server(start: Callable[..., Demo]) -> None:
    demo = start("stdio")
    catalog = load(demo.package)
    registration = mcp_executor(catalog, "mcp.shop", server=demo.server)
    assert registration.decode_in_executor
    received: list[Any] = []

    class Spy:
        def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> Any:
            received.append(request.payload)
            assert registration.executor is not None
            return registration.executor.execute(request, meta)

    runtime = Runtime(catalog, executors=[replace(registration, executor=Spy())], permission=allow_all)
    raw = b'{ "b" :[1.0,1e2,"\\u00e9"],\n"a": null }'
    result = asyncio.run(runtime.invoke(ToolRequest(name="mcp.shop.echo", payload=raw)))
    assert (received, result.value) == ([raw], {"b": [1.0, 1e2, "é"], "a": None})
    args = {"n": 12345678901234567890, "deep": {"$ref": "#/x", "self": [[]]}, "null": None}
    assert demo.value("echo", args) == args


def test_goa_12_no_codec_decodes_the_args_for_the_executor(
    start: Callable[..., Demo], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The core checks them, and neither makes a typed value of them nor writes them anew."""
    demo = start("stdio")
    decoded: list[str] = []
    for name in ("decode", "build", "encode", "normalize"):
        whole = getattr(Codec, name)

        def spy(codec: Codec[Any], value: Any, *args: Any, name: str = name, whole: Any = whole, **more: Any) -> Any:
            decoded.extend([name] * ("text" in str(value)))
            return whole(codec, value, *args, **more)

        monkeypatch.setattr(Codec, name, spy)
    monkeypatch.setattr("toolgen.runtime.calls.stages.decode.canonical", pytest.fail)
    assert demo.value("say", {"text": "hello"}) == "hello"
    assert decoded == []


def test_text_without_a_result_schema_is_a_string(start: Callable[..., Demo]) -> None:
    (result,), _ = start("stdio").results(("say", {"text": "[1]"}))
    assert (result.value, result.content) == ("[1]", (ContentBlock(type="text", data="[1]"),))


@pytest.mark.parametrize("inferred", ["true", "false"])
def test_text_is_exactly_the_result_where_the_schema_is_that_of_a_string(
    start: Callable[..., Demo], tmp_path: Path, inferred: str
) -> None:
    demo = start("stdio")
    texts = ["1.10", "1234567890123456789.10", "1e5", "true", "null", '"quoted"', ' {"a": 1}\n', "[1]", "", "v1.10"]

    def read(schema: str) -> list[Any]:
        imported = import_tools(*TOOLS).text
        typed = imported.replace("\n  say:\n", f"\n  say:\n    result: {schema}\n    result_inferred: {inferred}\n")
        assert typed != imported
        demo.package = f"compiled_texts_{next(NUMBERS)}"
        package_of(tmp_path, demo.package, typed)
        results, _ = demo.results(*(("say", {"text": text}) for text in texts))
        assert all(each.value == json.loads(each.payload) for each in results if each.error is None)
        return [each.error.code if each.error else each.value for each in results]

    assert read("string") == texts
    assert read('{type: [string, "null"]}') == [None if text == "null" else text for text in texts]
    numbers = read("{type: number}")[:3]
    assert numbers == [1.1, 1234567890123456789.10, 1e5]
    assert demo.calls[0] == 'say {"text": "1.10"}'


def test_a_result_of_several_blocks_is_kept_as_it_came(start: Callable[..., Demo]) -> None:
    kept: list[tuple[bytes, str]] = []

    def keep(content: bytes, media_type: str) -> str:
        kept.append((content, media_type))
        return "artifact-1"

    (result,), _ = start("stdio").results(("picture", {}), host=McpHost(keep=keep))

    text = {"type": "text", "text": "Here it is."}
    image = {"type": "image", "data": "iVBORw==", "mimeType": "image/png"}
    assert result.value == result.metadata["mcp"]["content"] == [text, image]
    assert result.content == (
        ContentBlock(type="text", data="Here it is."),
        ContentBlock(type="artifact_ref", data="artifact-1"),
    )
    assert kept == [(b"\x89PNG", "image/png")]


def test_binary_content_that_nothing_keeps_is_described(start: Callable[..., Demo]) -> None:
    (result,), _ = start("stdio").results(("picture", {}))
    assert result.content[1] == ContentBlock(type="text", data="[image: image/png, 4 bytes]")


def test_what_a_server_rejects_is_a_domain_rejection(start: Callable[..., Demo]) -> None:
    demo = start("stdio")
    rejected, refused = demo.error("reject"), demo.error("refuse")
    assert (rejected.kind, rejected.code, rejected.message) == (
        FailureKind.DOMAIN_REJECTION,
        "tool_error",
        "there is no such order",
    )
    assert (refused.kind, refused.code, refused.message) == (
        FailureKind.DOMAIN_REJECTION,
        "invalid_params",
        "the limit is too high",
    )


@every_transport
def test_a_server_that_dies_in_the_middle_of_a_write_is_not_asked_again(
    start: Callable[..., Demo], transport: str
) -> None:
    demo = start(transport)
    demo.crash(1)

    async def crash() -> Any:
        runtime = demo.runtime()
        await runtime.invoke(ToolRequest(name="mcp.shop.echo"))
        demo.crash(1)
        return await runtime.invoke(ToolRequest(name="mcp.shop.crash"))

    error = asyncio.run(crash()).error
    assert (error.kind, error.code) == (FailureKind.UNAVAILABLE, "connection_lost")
    assert "may have taken effect" in error.hint
    assert [call for call in demo.calls if call.startswith("crash")] == ["crash {}"]


def test_a_readonly_tool_is_called_again_on_a_new_connection(start: Callable[..., Demo]) -> None:
    demo = start("stdio")

    async def crash() -> Any:
        store = MemoryStore()
        runtime = demo.runtime(store=store)
        await runtime.invoke(ToolRequest(name="mcp.shop.echo"))
        demo.crash(1)
        result = await runtime.invoke(ToolRequest(name="mcp.shop.crash_read"), meta=ToolCallMeta(run_id="r"))
        return result, events(list((await store.read("r")).events), "mcp_attempt")

    result, attempts = asyncio.run(crash())
    assert result.value == "done"
    assert [each["outcome"] for each in attempts] == ["connection_lost", "answered"]


def test_an_http_error_is_repeated_for_readonly_tools_alone(start: Callable[..., Demo]) -> None:
    demo = start("http")

    async def fail(name: str) -> Any:
        demo.fail_calls(1)
        return await demo.runtime().invoke(ToolRequest(name=name))

    assert asyncio.run(fail("mcp.shop.crash_read")).value == "done"
    error = asyncio.run(fail("mcp.shop.crash")).error
    assert (error.kind, error.code) == (FailureKind.UNAVAILABLE, "server_error")


def test_a_server_that_died_between_calls_is_started_again(start: Callable[..., Demo]) -> None:
    demo = start("stdio")

    async def crash() -> list[Any]:
        runtime = demo.runtime()
        await runtime.invoke(ToolRequest(name="mcp.shop.echo"))
        demo.crash(1)
        await runtime.invoke(ToolRequest(name="mcp.shop.crash"))
        return [await runtime.invoke(ToolRequest(name="mcp.shop.echo", payload='{"a": 1}')) for _ in range(2)]

    assert [result.value for result in asyncio.run(crash())] == [{"a": 1}, {"a": 1}]


def test_a_server_that_cannot_be_started_is_unavailable(demo_package: str) -> None:
    server = McpServer(stdio=("no-such-program-here",), retries=0)
    catalog = load(demo_package)
    runtime = Runtime(catalog, executors=[mcp_executor(catalog, "mcp.shop", server=server)], permission=allow_all)
    error = asyncio.run(runtime.invoke(ToolRequest(name="mcp.shop.echo"))).error
    assert error is not None
    assert (error.kind, error.code) == (FailureKind.UNAVAILABLE, "server_unreachable")
    assert "no-such-program-here" in error.message


@every_transport
def test_progress_becomes_events(start: Callable[..., Demo], transport: str) -> None:
    (result,), found = start(transport).results(("count", {}))
    assert result.value == "counted"
    assert events(found, "tool_progress") == [
        {"progress": step, "total": 3, "message": f"step {step}"} for step in (1, 2, 3)
    ]


@every_transport
def test_a_cancelled_call_is_cancelled_at_the_server(start: Callable[..., Demo], transport: str) -> None:
    demo = start(transport)

    async def cancel() -> Any:
        runtime = demo.runtime()
        call = asyncio.ensure_future(runtime.invoke(ToolRequest(name="mcp.shop.wait")))
        await until(lambda: bool(demo.calls))
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await until(lambda: "cancelled" in demo.calls)
        return await runtime.invoke(ToolRequest(name="mcp.shop.echo", payload='{"a": 1}'))

    assert asyncio.run(asyncio.wait_for(cancel(), 30)).value == {"a": 1}


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_question_of_the_server_is_answered_by_the_host(start: Callable[..., Demo], transport: str) -> None:
    asked: list[str] = []

    async def answer(context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"size": "L"})

    demo = start(transport)
    assert demo.value("ask", host=McpHost(on_elicitation=answer)) == 'accept {"size": "L"}'
    assert asked == ["Which size?"]


def test_a_question_that_no_host_answers_fails_the_call(start: Callable[..., Demo]) -> None:
    error = start("stdio").error("ask")
    assert error.kind in (FailureKind.UNAVAILABLE, FailureKind.DOMAIN_REJECTION)
    assert "licitation" in error.message


def test_credentials_come_from_the_environment_or_a_callback(start: Callable[..., Demo]) -> None:
    async def headers() -> dict[str, str]:
        return {"x-user": "ann"}

    demo = start("http", headers={"Authorization": "$env.TOKEN", "X-Client": "demo"})
    host = McpHost(environment={"TOKEN": "Bearer s3cret"}, headers=headers)
    seen = {name: value[::-1] for name, value in demo.value("headers", host=host).items()}
    assert (seen["authorization"], seen["x-client"], seen["x-user"]) == ("Bearer s3cret", "demo", "ann")


def test_a_program_sees_the_variables_that_its_spec_names(start: Callable[..., Demo], monkeypatch: Any) -> None:
    monkeypatch.setenv("HIDDEN", "1")
    demo = start("stdio", env=("MODE",))
    seen = demo.value("environment", host=McpHost(environment={"MODE": "fast", "OTHER": "2", "PATH": "/bin"}))
    assert seen["MODE"] == "fast"
    assert not {"HIDDEN", "OTHER"} & seen.keys()


@pytest.mark.parametrize(
    "server",
    [
        McpServer(stdio=("x",), env=("MISSING",)),
        McpServer(http="http://localhost/mcp", headers={"Authorization": "$env.MISSING"}),
    ],
)
def test_a_missing_variable_is_an_error_at_startup(demo_package: str, server: McpServer) -> None:
    with pytest.raises(ExecutorError, match="has no variable MISSING"):
        mcp_executor(load(demo_package), "mcp.shop", McpHost(environment={}), server=server)


def test_an_executor_is_closed_by_its_context(start: Callable[..., Demo]) -> None:
    demo = start("stdio")
    catalog = load(demo.package)

    async def use() -> tuple[Any, list[str], list[str]]:
        closing = mcp_executor(catalog, "mcp.shop", server=demo.server).executor
        assert isinstance(closing, McpExecutor)
        async with closing as runs:
            result = await runs.execute(ToolRequest(name="mcp.shop.say", payload='{"text": "a"}'), ToolCallMeta())
            during = children()
        return result, during, children()

    before = children()
    result, during, after = asyncio.run(use())
    assert result.payload == b'"a"'
    assert len(during) == len(before) + 1
    assert after == before


def test_the_server_of_a_closed_loop_ends_with_the_next_call(start: Callable[..., Demo]) -> None:
    """As in a program that makes a loop for each task, and closes it without cancelling what is left in it."""
    demo = start("stdio")
    runtime = demo.runtime()
    before = children()
    for _ in range(3):
        loop = asyncio.new_event_loop()
        said = loop.run_until_complete(runtime.invoke(ToolRequest(name="mcp.shop.say", payload='{"text": "a"}')))
        loop.close()
        assert said.value == "a"
        assert len(children()) == len(before) + 1
    asyncio.run(runtime.invoke(ToolRequest(name="mcp.shop.say", payload='{"text": "a"}')))
    assert children() == before


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of the call that was left
def test_a_server_that_starts_when_its_loop_is_closed_ends_with_the_next_call(start: Callable[..., Demo]) -> None:
    demo = start("stdio")
    runtime = demo.runtime()
    before = children()
    loop = asyncio.new_event_loop()
    call = loop.create_task(runtime.invoke(ToolRequest(name="mcp.shop.say", payload='{"text": "a"}')))
    while len(children()) == len(before):
        loop.run_until_complete(asyncio.sleep(0.001))
    loop.close()
    assert not call.done()
    assert len(children()) == len(before) + 1
    asyncio.run(runtime.invoke(ToolRequest(name="mcp.shop.say", payload='{"text": "a"}')))
    assert children() == before
    del call, loop
    gc.collect()  # it warns here, and in no other test


@pytest.mark.long
def test_a_program_that_closes_its_loops_leaves_nothing_open(start: Callable[..., Demo]) -> None:
    demos = {transport: start(transport) for transport in ("stdio", "http", "sse")}
    servers = {transport: getattr(demo.server, transport) for transport, demo in demos.items()}
    program = f"""
        import asyncio, os, sys
        from pathlib import Path
        from toolgen.contract.records import ToolRequest
        from toolgen.execute.mcp import McpServer, mcp_executor
        from toolgen.runtime import Runtime, allow_all, load

        catalog = load({demos["stdio"].package!r})
        for transport, place in {servers!r}.items():
            server = McpServer(**{{transport: place}})
            runtime = Runtime(
                catalog, executors=[mcp_executor(catalog, "mcp.shop", server=server)], permission=allow_all
            )
            for _ in range(3):
                loop = asyncio.new_event_loop()
                call = runtime.invoke(ToolRequest(name="mcp.shop.say", payload='{{"text": "a"}}'))
                print(transport, loop.run_until_complete(call).value)
                loop.close()
    """
    ended = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", textwrap.dedent(program)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    printed = "".join(f"{transport} a\n" * 3 for transport in servers)
    assert (ended.returncode, ended.stdout) == (0, printed), ended.stderr
    assert "ResourceWarning" not in ended.stderr


def children() -> list[str]:
    """The processes that this one started."""
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def test_a_toolset_without_a_server_needs_one(demo_package: str) -> None:
    with pytest.raises(ExecutorError, match=r"the spec of mcp\.shop has no `server`"):
        mcp_executor(load(demo_package), "mcp.shop")
    with pytest.raises(ExecutorError, match=r"there is no toolset mcp\.other"):
        mcp_executor(load(demo_package), "mcp.other")


def test_the_server_of_the_spec_is_read_from_the_catalog() -> None:
    compiled = {"stdio": ["npx", "x"], "env": ["HOME"], "retries": 5, "on_drift": "warn"}
    assert McpServer.from_catalog(compiled) == McpServer(stdio=("npx", "x"), env=("HOME",), retries=5, on_drift="warn")


def test_calls_side_by_side_share_one_connection(start: Callable[..., Demo]) -> None:
    demo = start("stdio")

    async def many() -> list[Any]:
        runtime = demo.runtime()
        requests = [ToolRequest(name="mcp.shop.echo", payload=json.dumps({"n": n})) for n in range(20)]
        return [result.value for result in await asyncio.gather(*map(runtime.invoke, requests))]

    assert asyncio.run(many()) == [{"n": n} for n in range(20)]
    assert len(demo.calls) == 20


def test_added_tools_are_not_there(start: Callable[..., Demo]) -> None:
    demo = start("stdio")
    demo.list_tools([*TOOLS, {"name": "more", "inputSchema": {"type": "object"}}])
    assert demo.error("more").kind is FailureKind.TOOL_NOT_AVAILABLE
    assert demo.value("echo", {"a": 1}) == {"a": 1}


def test_a_server_gets_the_idempotency_key_of_a_call_that_has_one(start: Callable[..., Demo]) -> None:
    async def sent(runtime: Runtime, key: str) -> Any:
        meta = ToolCallMeta(run_id="r", idempotency_key=key)
        result = await runtime.invoke(ToolRequest(name="mcp.shop.meta", payload="{}"), meta=meta)
        return (result.value or {}).get(IDEMPOTENCY_KEY)

    async def both() -> list[Any]:
        runtime = start("stdio").runtime()
        return [await sent(runtime, "r:c1"), await sent(runtime, "")]

    assert asyncio.run(both()) == ["r:c1", None]


def test_a_server_gets_the_fencing_token_of_a_call_that_has_one(start: Callable[..., Demo]) -> None:
    async def sent(runtime: Runtime, token: int | None) -> Any:
        meta = ToolCallMeta(run_id="r", fencing_token=token)
        result = await runtime.invoke(ToolRequest(name="mcp.shop.meta", payload="{}"), meta=meta)
        return (result.value or {}).get("toolgen/fencing-token")

    async def both() -> list[Any]:
        runtime = start("stdio").runtime()
        return [await sent(runtime, 7), await sent(runtime, None)]

    assert asyncio.run(both()) == [7, None]


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_call_whose_guard_objects_after_the_connection_is_not_sent(
    transport: str, start: Callable[..., Demo]
) -> None:
    async def made() -> None:
        served = start(transport)
        demo = served.runtime()
        run = demo.start_run()
        looks = 0

        def guard() -> None:
            nonlocal looks
            looks += 1
            if looks == 2:  # the first is that of the pipeline
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
                raise asyncio.CancelledError

        run.progress.guard = guard
        call = asyncio.create_task(demo.invoke(ToolRequest(name="mcp.shop.meta", payload="{}"), run=run))
        await asyncio.wait([call])
        assert (looks, call.cancelled(), served.calls) == (2, True, [])

    asyncio.run(made())
