"""Requirements of the tool registry on shown and stored results, and on how a turn ends."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.tools import add, call_now, catalog_of, code_of, must_not_run, runtime_of
from toolgen.contract.records import (
    ContentBlock,
    FailureKind,
    ToolCallMeta,
    ToolError,
    ToolRequest,
    ToolResult,
)
from toolgen.record.artifacts import Artifacts
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Catalog, Runtime, allow_all, load
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.toolsets.code import CodeTools

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from toolgen.runtime.runs.run import Run

LARGE = 300_000
BOUND = 65_536
"""The default bound in section 7 of the spec language."""

SHOWN = BOUND + 1024
"""The most that is shown: the bound, and notes on where the rest is."""


def shown_bytes(result: ToolResult[Any]) -> int:
    return sum(
        len((data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)).encode())
        for data in shown(result)
    )


def shown(result: ToolResult[Any]) -> list[Any]:
    return [block.data for block in result.content]


def blocks_of(*data: Any) -> ToolResult[Any]:
    return ToolResult(value=1, blocks=tuple(ContentBlock(type="text", data=each) for each in data))


LARGE_RESULTS: dict[str, Callable[[], Any]] = {
    "text": lambda: "x" * LARGE,
    "json": lambda: {"rows": ["ä" * 10] * (LARGE // 10)},
    "a block": lambda: blocks_of("x" * LARGE),
    "many blocks": lambda: blocks_of(*["x" * 1000] * 1000),
    "very many empty blocks": lambda: blocks_of(*[""] * 100_000),
    "says that it is cut": lambda: ToolResult(value="x" * LARGE, metadata={"truncated": True}),
    "blocks that say that they are cut": lambda: replace(blocks_of("x" * LARGE), metadata={"truncated": True}),
    "a reference": lambda: ToolResult(value=1, blocks=(ContentBlock(type="artifact_ref", data="x" * LARGE),)),
    "a failure": lambda: replace(
        blocks_of("x" * LARGE), value=None, error=ToolError(message="no", kind=FailureKind.INTERNAL, code="no")
    ),
    "a long message": lambda: ToolError(message="x" * LARGE, kind=FailureKind.INTERNAL, code="no", hint="y" * LARGE),
}


@pytest.mark.parametrize("what", LARGE_RESULTS)
@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.variants(7)
def test_reg_65_without_a_policy_no_result_is_shown_beyond_the_bound(
    what: str, tmp_path: Path, *, observed: bool
) -> None:
    artifacts = Artifacts(tmp_path)
    settings: dict[str, Any] = {"artifacts": artifacts, **({"store": MemoryStore()} if observed else {})}
    result = call_now(runtime_of(catalog_of(lambda _args: LARGE_RESULTS[what]()), **settings))
    assert shown_bytes(result) <= SHOWN
    if what != "a long message":
        assert result.metadata["truncated"] is True
        assert "[cut: " in "".join(str(block.data) for block in result.content)
        refs = [block.data for block in result.content if block.type == "artifact_ref"]
        assert refs
        assert all(artifacts.get(ref).data for ref in refs)
    if what in ("text", "json"):
        whole = artifacts.get(result.content[-1].data).data
        assert (whole.decode() if what == "text" else json.loads(whole)) == LARGE_RESULTS[what]()
        assert result.value == LARGE_RESULTS[what](), "programs get the complete value"


def test_reg_65_a_result_that_claims_to_be_truncated_keeps_its_value_in_the_record() -> None:
    blocks = (ContentBlock(type="text", data="nothing to see"),)
    returned = ToolResult(value={"paid": 100}, blocks=blocks, metadata={"truncated": True, "pages": 2})

    async def check() -> None:
        store = MemoryStore()
        runtime = runtime_of(catalog_of(lambda _args: returned), store=store)
        result = await runtime.invoke(ToolRequest(name="own.tool"), meta=ToolCallMeta(run_id="r1"))
        assert (result.content, result.metadata) == (blocks, {"pages": 2})
        assert (await store.read("r1")).results[0].content["value"] == {"paid": 100}

    asyncio.run(check())


def large(size: int, _args: Any) -> str:
    return "x" * size


def test_reg_65_the_bound_is_exact_and_small_results_are_unchanged() -> None:
    for size, is_cut in ((BOUND - 2, False), (BOUND, False), (BOUND + 1, True)):
        result = call_now(runtime_of(catalog_of(partial(large, size))))
        assert ("truncated" in result.metadata) is is_cut
    own = blocks_of("one", "two")
    assert call_now(runtime_of(catalog_of(lambda _args: own))).content == own.blocks


def test_reg_41_65_read_file_shows_all_requested_lines_and_keeps_no_artifact(tmp_path: Path) -> None:
    """The file is its own artifact, and the tool bounds the lines itself."""
    (tmp_path / "long.txt").write_text("x" * 999 + "\n" + ("y" * 99 + "\n") * 5000)
    catalog = load("toolgen.toolsets.generated")
    tools = CodeTools(tmp_path).registration()
    settings: dict[str, Any] = {"artifacts": Artifacts(tmp_path / "artifacts"), "store": MemoryStore()}
    runtime = Runtime(
        catalog, permission=allow_all, executors=[tools], missing=catalog.toolsets, project=tmp_path, **settings
    )
    result = call_now(runtime, "code.read_file", json.dumps({"path": "long.txt", "max_lines": 1000}))
    assert shown_bytes(result) > SHOWN
    assert "truncated" not in result.metadata
    assert [block.type for block in result.content] == ["json"]
    assert not [path for path in (tmp_path / "artifacts").rglob("*") if path.is_file()]
    bounded = {
        ident for ident in catalog if catalog.definition(ident).metadata.get("limits", {}).get("result_bytes") == 0
    }
    assert bounded == {"code.read_file"}, "all tools but one are bounded"


def run_of(runtime: Runtime, **meta: Any) -> Run:
    return runtime.start_run(meta=ToolCallMeta(user="ann", run_id="r1", **meta))


def test_reg_69_a_turn_ends_with_its_last_call_and_leaves_nothing_running() -> None:
    ended: list[str] = []

    async def check() -> None:
        def handler(name: str, seconds: float) -> Callable[[Any], Any]:
            async def wait(_args: Any) -> str:
                await asyncio.sleep(seconds)
                ended.append(name)
                if name == "t.fails":
                    raise ValueError("broken")
                return name

            return wait

        catalog = Catalog()
        for name, seconds in (("t.slow", 0.05), ("t.fails", 0.0), ("t.quick", 0.001)):
            add(catalog, handler(name, seconds), name, permission="readonly")
        runtime = runtime_of(catalog)
        names = ["t.slow", "t.fails", "t.quick", "t.slow"]
        results = await runtime.turn([ToolRequest(name=name) for name in names], run_of(runtime))
        assert sorted(ended) == sorted(names), "the next model request follows the last result"
        assert [code_of(result) for result in results] == ["ok", "handler_error", "ok", "ok"]
        assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []

    asyncio.run(check())


def test_reg_71_an_aborted_call_has_all_fields_and_a_large_part_becomes_an_artifact(tmp_path: Path) -> None:
    async def check() -> None:
        store, begun, artifacts = MemoryStore(), asyncio.Event(), Artifacts(tmp_path)

        async def handler(_args: Any, meta: ToolCallMeta) -> None:
            for number in range(100):
                meta.report({"row": number, "text": "x" * 10_000})
            begun.set()
            await asyncio.sleep(60)

        catalog = add(catalog_of(handler), must_not_run, "own.later")
        runtime = runtime_of(catalog, store=store, artifacts=artifacts)
        run = run_of(runtime)
        calls = [ToolRequest(name="own.tool", tool_call_id="c1"), ToolRequest(name="own.later", tool_call_id="c2")]
        turn = asyncio.ensure_future(runtime.turn(calls, run))
        await begun.wait()
        run.abort("the user pressed stop")
        first, second = await turn
        await runtime.end_run(run)

        assert (first.is_error, second.is_error) == (True, True)
        assert first.metadata == {
            "aborted": True, "partial": True, "abort_reason": "the user pressed stop", "truncated": True,
        }  # fmt: skip
        assert second.metadata == {"aborted": True, "partial": False, "abort_reason": "the user pressed stop"}
        assert shown_bytes(first) <= SHOWN
        assert "[cut: " in first.content[1].data
        kept = json.loads(artifacts.get(first.content[2].data).data)
        assert [report["row"] for report in kept["partial"]] == list(range(100))

        record = await store.read("r1")
        ends = [(event.tool_call_id, event.data) for event in record.events if event.kind == "tool_failed"]
        assert [(call_id, data["code"]) for call_id, data in ends] == [("c1", "aborted"), ("c2", "aborted")]
        assert [result.content["error"]["code"] for result in record.results] == ["aborted"] * 2
        assert record.events[-1].data == {"end_reason": "aborted_tools"}

    asyncio.run(check())


def test_reg_66_no_secret_is_in_a_summary_or_an_event_and_the_request_states_boundaries(
    tmp_path: Path,
) -> None:
    asked: list[PermissionRequest] = []

    def permission(request: PermissionRequest) -> Decision:
        asked.append(request)
        return Decision.ALLOW_ONCE

    async def check() -> None:
        store = MemoryStore()
        metadata = {
            "args_secrets": ["/note"],
            "confirm": "Send {{args.note}} with {{args.password}} to {{args.to}}?",
            "access": {"cwd": ["cwd"], "exec": ["argv"]},
            "command": {"env": ["LANG"]},
        }
        catalog = catalog_of(lambda _args: {"token": "tk-1"}, tags={"dangerous"}, metadata=metadata)
        runtime = runtime_of(catalog, permission=permission, store=store, project=tmp_path)
        args = {"note": "mine-1", "password": "hunter2", "to": "bob", "argv": ["git"], "cwd": "."}
        request = ToolRequest(name="own.tool", payload=json.dumps(args), tool_call_id="c")
        result = await runtime.invoke(request, run=run_of(runtime))
        assert result.value == {"token": "tk-1"}, "the tool receives them"
        record = await store.read("r1")
        stored = json.dumps([event.data for event in record.events] + [each.content for each in record.results])
        (request_,) = asked
        for text in (request_.summary, request_.confirm, stored):
            assert not [secret for secret in ("mine-1", "hunter2", "tk-1") if secret in text]
            assert "[redacted]" in text
        assert "bob" in request_.summary
        assert request_.confirm == "Send [redacted] with [redacted] to bob?"
        assert request_.env == ("PATH", "HOME", "TMPDIR", "LANG"), "names of variables without values"
        assert (request_.cwd, request_.dangerous) == (str(tmp_path), True)
        assert request_.scope == (("cwd", str(tmp_path)), ("exec", "git"))

    asyncio.run(check())
