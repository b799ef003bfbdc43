"""Requirements of the tool registry on turns after a failure: the source of a denial decides, not its code."""

from __future__ import annotations

import asyncio
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.runs.test_runs import run_of as run_under
from tests.unit.runtime.tools import add, catalog_of, code_of, must_not_run, runtime_of
from toolgen.contract.records import (
    FailureKind,
    ToolCallMeta,
    ToolError,
    ToolRequest,
    ToolResult,
)
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Catalog, Runtime
from toolgen.runtime.base.errors import CallFailed, PermissionDenied
from toolgen.runtime.policy.permission import Decision, PermissionRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolgen.runtime.runs.run import Run


def run_of(runtime: Runtime, **meta: Any) -> Run:
    return runtime.start_run(meta=ToolCallMeta(user="ann", run_id="r1", **meta))


def failing_with(code: str, kind: FailureKind = FailureKind.PERMISSION_DENIED) -> dict[str, Callable[[Any], Any]]:
    """Return handlers that fail with a code of the runtime."""
    error = ToolError(message="no", kind=kind, code=code)

    def raises(_args: Any) -> Any:
        raise CallFailed(kind, code, "no")

    def raises_its_own(_args: Any) -> Any:
        raise PermissionDenied("t.w", "no")

    return {
        "error": lambda _args: error,
        "result": lambda _args: ToolResult(error=error.caused_by(PermissionDenied("t.w", "no"))),
        "raised": raises,
        "its own": raises_its_own,
    }


CODES = ("permission_denied", "hook_denied", "tool_not_available", "aborted", "skipped")
HOWS = ("error", "result", "raised", "its own")


def turn_codes(
    tools: Mapping[str, Callable[[Any], Any]], names: list[str], *, may_continue: bool = False, **settings: Any
) -> tuple[list[str], list[str]]:
    """Return the codes of a turn, and the handlers that ran. `r…` reads and `w…` writes."""
    ran: list[str] = []

    def noting(name: str) -> Callable[[Any], Any]:
        def handler(args: Any) -> Any:
            ran.append(name)
            return tools[name](args) if name in tools else "ran"

        return handler

    catalog = Catalog()
    for name in dict.fromkeys(names):
        add(catalog, noting(name), f"t.{name}", permission="readonly" if name[0] == "r" else "write")
    store = MemoryStore()
    runtime = runtime_of(catalog, store=store, **settings)
    vars(runtime)["_host"].policies.may_continue = may_continue

    async def whole() -> list[str]:
        run = run_of(runtime)
        results = await runtime.turn([ToolRequest(name=f"t.{name}") for name in names], run)
        assert run.progress.denied == {}
        assert [result.tool_name for result in results] == [f"t.{name}" for name in names]
        stored = {each.tool_call_id: each.success for each in (await store.read("r1")).results}
        assert stored == {result.tool_call_id: result.success for result in results}, "each call has its result"
        return [code_of(result) for result in results]

    return asyncio.run(whole()), ran


@pytest.mark.parametrize("may_continue", [False, True])
@pytest.mark.parametrize(("code", "how"), list(product(CODES, HOWS)))
def test_reg_82_after_a_failed_read_the_rest_runs_regardless_of_its_code(
    code: str, how: str, *, may_continue: bool
) -> None:
    codes, ran = turn_codes({"r1": failing_with(code)[how]}, ["r1", "r2", "w1", "r3"], may_continue=may_continue)
    assert codes == ["handler_error" if how == "its own" else code, "ok", "ok", "ok"]
    assert ran == ["r1", "r2", "w1", "r3"]


@pytest.mark.parametrize("may_continue", [False, True])
@pytest.mark.parametrize(("code", "how"), list(product(CODES, HOWS)))
def test_reg_83_after_a_failed_write_nothing_runs_regardless_of_its_code(
    code: str, how: str, *, may_continue: bool
) -> None:
    codes, ran = turn_codes({"w1": failing_with(code)[how]}, ["r1", "w1", "r2", "w2"], may_continue=may_continue)
    assert codes == ["ok", "handler_error" if how == "its own" else code, "skipped", "skipped"]
    assert ran == ["r1", "w1"]


@pytest.mark.parametrize(("may_continue", "after"), [(False, ["skipped"] * 2), (True, ["ok", "skipped"])])
def test_reg_83_97_a_denial_of_permission_stops_writes_and_by_default_reads(
    after: list[str], *, may_continue: bool
) -> None:
    codes, ran = turn_codes(
        {}, ["r1", "w1", "r2", "w2"], may_continue=may_continue, permission=lambda _request: Decision.DENY
    )
    assert codes == ["ok", "permission_denied", *after]
    assert ran == (["r1", "r2"] if may_continue else ["r1"])


def test_the_record_distinguishes_a_denied_call_from_one_that_ran_and_returned_that_code() -> None:
    store = MemoryStore()
    catalog = add(catalog_of(failing_with("permission_denied")["raised"]), must_not_run, "own.denied")

    def permission(request: PermissionRequest) -> Decision:
        return Decision.DENY if request.tool_name == "own.denied" else Decision.ALLOW_ONCE

    async def kinds() -> list[str]:
        runtime = runtime_of(catalog, permission=permission, store=store)
        for name in ("own.tool", "own.denied"):
            result = await runtime.invoke(ToolRequest(name=name), meta=ToolCallMeta(run_id="r1"))
            assert code_of(result) == "permission_denied"
        return [event.kind for event in (await store.read("r1")).events]

    assert asyncio.run(kinds()) == ["tool_started", "tool_failed", "tool_denied"]


def _raises(_request: PermissionRequest) -> Decision:
    raise ValueError("broken")


async def _is_late(_request: PermissionRequest) -> Decision:
    await asyncio.sleep(10)
    return Decision.ALLOW_ONCE


@pytest.mark.parametrize("may_continue", [False, True])
@pytest.mark.parametrize("denied", ["readonly", "write"])
@pytest.mark.parametrize(
    ("permission", "rule"),
    [
        (lambda _request: Decision.DENY, "ask"),
        (lambda _request: "yes", "ask"),
        (_raises, "ask"),
        (_is_late, "ask"),
        (lambda _request: Decision.ALLOW_ONCE, "deny"),
    ],
)
def test_reg_96_97_a_denial_from_any_source_stops_later_calls(
    permission: Any, rule: str, denied: Any, *, may_continue: bool
) -> None:
    ran: list[int] = []
    catalog = add(Catalog(), lambda args: ran.append(args["n"]), "t.read", permission="readonly")
    add(catalog, must_not_run, "t.denied", permission=denied, tags={"dangerous"})
    add(catalog, must_not_run, "t.write")
    runtime = runtime_of(catalog, permission=permission, permission_timeout=0.01)
    vars(runtime)["_host"].policies.may_continue = may_continue
    run = run_under(catalog, {"t.denied": rule})[1]

    async def whole() -> list[str]:
        names = ("read", "denied", "write", "read")
        requests = [ToolRequest(name=f"t.{name}", payload=f'{{"n": {n}}}') for n, name in enumerate(names)]
        return [code_of(result) for result in await runtime.turn(requests, run)]

    last = "ok" if may_continue else "skipped"
    assert asyncio.run(whole()) == ["ok", "permission_denied", "skipped", last]
    assert ran == ([0, 3] if may_continue else [0])
