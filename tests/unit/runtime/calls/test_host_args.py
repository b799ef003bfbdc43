"""Arguments of a host that are of another kind: an error when a runtime is built, or a run or a turn begins."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.unit.runtime.tools import call_now, catalog_of, code_of, must_not_run, runtime_of
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.record.memory import MemoryStore
from toolgen.record.sqlite import SqliteStore
from toolgen.runtime import Runtime, allow_all
from toolgen.runtime.policy.rate_limits import MemoryCounters

REQUEST = ToolRequest(name="own.tool", payload="{}")


class _Hook:
    def pre_tool_use(self, _call: Any, /) -> None:
        return None


class _WholeHook(_Hook):
    def post_tool_use(self, _call: Any, _result: Any, /) -> None:
        return None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"permission": True}, "permission is True; it must be a callback, allow_all or deny_all"),
        ({"permission": None}, "permission is None; it must be a callback"),
        ({"permission": _Hook}, "permission is the class _Hook; it must be a callback"),
        ({"inject": {"tenant": "x"}}, "inject['tenant'] is \"x\"; it must be a function that takes the meta of a call"),
        ({"inject": [print]}, "inject is of type list; it must be functions by the names of fields"),
        ({"permission_timeout": "5"}, 'permission_timeout is "5"; it must be a number of seconds'),
        ({"permission_timeout": None}, "permission_timeout is None; it must be a number of seconds"),
        ({"permission_timeout": True}, "permission_timeout is True; it must be a number of seconds"),
        ({"gate_timeout": -1}, "gate_timeout is -1; it must be a number of seconds"),
        ({"hooks": object()}, "hooks is of type object; it must be a list of hooks: write [hook]"),
        ({"hooks": None}, "hooks is None; it must be a list of hooks"),
        ({"hooks": [_WholeHook(), print]}, "hooks[1] is of type builtin_function_or_method; it must be an object with"),
        ({"hooks": [_Hook()]}, "hooks[0] is of type _Hook; it must be an object with methods pre_tool_use and post"),
        ({"hooks": [_WholeHook]}, "hooks[0] is the class _WholeHook; it must be an object"),
        ({"gate": "x"}, 'gate is "x"; it must be a function that takes a request of the gate'),
        ({"store": "calls.db"}, 'store is "calls.db"; it must be a store: open it by open_store("calls.db")'),
        ({"store": "postgresql://ann:pw@host/db"}, "store is a URL; it must be a store: open it by open_store(url)"),
        (
            {"store": SqliteStore},
            'store is the class SqliteStore; it must be a store: open it by open_store("calls.db")',
        ),
        ({"store": False}, "store is False; it must be a store"),
        ({"artifacts": "dir"}, 'artifacts is "dir"; it must be a store of artifacts: pass Artifacts("dir")'),
        (
            {"counters": "redis://x"},
            "counters is a URL; it must be an object with take and wait, such as RedisCounters(url",
        ),
        ({"counters": {}}, "counters is of type dict; it must be an object with take and wait"),
        ({"counters": MemoryCounters}, "counters is the class MemoryCounters; it must be an object"),
        ({"telemetry": True}, "telemetry is True; it must be an object of the class Telemetry: pass Telemetry()"),
        ({"clock": 7}, "clock is 7; it must be a function that returns the time"),
        ({"new_id": "x" * 1_000}, "it must be a function that takes `call`, `run` or `agent` and returns an id"),
    ],
)
def test_an_argument_of_a_runtime_of_another_kind_is_an_error_with_its_fix(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError) as caught:
        runtime_of(catalog_of(), **settings)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_runtime_needs_a_catalog() -> None:
    name: Any = "generated"
    with pytest.raises(
        TypeError, match=r'catalog is "generated"; it must be a catalog: load it by load\("generated"\)'
    ):
        Runtime(name, permission=allow_all)


def test_what_arguments_of_a_runtime_may_be_is_accepted() -> None:
    runtime = runtime_of(
        catalog_of(),
        hooks=(_WholeHook(),),
        gate=print,
        inject={"tenant": str},
        permission_timeout=float("inf"),
        gate_timeout=0,
        store=MemoryStore(),
        counters=MemoryCounters(),
        new_id=str,
    )
    assert code_of(call_now(runtime)) == "ok"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"session": "s1"}, 'session is "s1"; it must be a Session: keep one'),
        ({"session": False}, "session is False; it must be a Session"),
        ({"meta": {"user": "ann"}}, 'meta is of type dict; it must be a ToolCallMeta: write ToolCallMeta(user="ann")'),
    ],
)
def test_an_argument_of_a_run_of_another_kind_is_an_error_with_its_fix(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        runtime_of(catalog_of()).start_run(**settings)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("requests", "message"),
    [
        (REQUEST, r"requests is of type ToolRequest; it must be a list of requests: write \[request\]"),
        ("own.tool", "requests is .* it must be a list of requests"),
        (iter([REQUEST]), "requests is of type list_iterator; it must be a list of requests"),
        (None, "requests is None; it must be a list of requests"),
    ],
)
def test_a_turn_needs_a_list_of_requests(requests: Any, message: str) -> None:
    runtime = runtime_of(catalog_of(must_not_run))
    with pytest.raises(TypeError, match=message):
        asyncio.run(runtime.turn(requests, runtime.start_run()))


@pytest.mark.parametrize("run", [None, "r1", ToolCallMeta()])
def test_what_takes_a_run_needs_one(run: Any) -> None:
    runtime = runtime_of(catalog_of(must_not_run))
    for makes in (
        lambda: runtime.turn([REQUEST], run),
        lambda: runtime.skip(REQUEST, run),
        lambda: runtime.permission_request(REQUEST, run),
        lambda: runtime.end_run(run),
    ):
        with pytest.raises(TypeError, match=r"run is .*; it must be a Run: start it by runtime\.start_run\(\)"):
            asyncio.run(makes())


def test_a_question_is_about_a_request() -> None:
    runtime = runtime_of(catalog_of(must_not_run))
    request: Any = {"name": "own.tool"}
    with pytest.raises(TypeError, match="request is of type dict; it must be a ToolRequest"):
        asyncio.run(runtime.permission_request(request, runtime.start_run()))
