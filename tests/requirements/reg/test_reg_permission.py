"""Requirements of the tool registry on permission: what it may allow, and which requests are made."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.tools import add, call_now, catalog_of, code_of, must_not_run, runtime_of
from toolgen.contract.records import (
    ToolCallMeta,
    ToolRequest,
    ToolResult,
)
from toolgen.runtime import Runtime, allow_all, deny_all, load
from toolgen.runtime.calls.call import Denial
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.runtime.runs.run import Session, current_turn
from toolgen.toolsets.code import CodeTools

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.runtime.runs.run import Run


def run_of(runtime: Runtime, **meta: Any) -> Run:
    return runtime.start_run(meta=ToolCallMeta(user="ann", run_id="r1", **meta))


def commands(folder: Path, permission: Any) -> Runtime:
    """Return a runtime of the built-in tools, for a project with the folder `sub` in it."""
    (folder / "project" / "sub").mkdir(parents=True, exist_ok=True)
    (folder / "outside").mkdir(exist_ok=True)
    catalog = load("toolgen.toolsets.generated")
    return Runtime(
        catalog,
        permission=permission,
        executors=[CodeTools(folder / "project").registration()],
        missing=catalog.toolsets,
        project=folder / "project",
    )


def command(folder: Path, permission: Any, *, run: bool = False, **args: Any) -> ToolResult[Any]:
    runtime = commands(folder, permission)
    payload = json.dumps({"argv": ["touch", "made"], **args})
    return call_now(runtime, "code.run_command", payload, run=runtime.start_run(session=Session()) if run else None)


@pytest.mark.parametrize(
    "args",
    [
        {"argv": "touch made"},
        {"argv": ["touch", 1]},
        {"argv": []},
        {"env": {"PATH": "/evil"}},
        {"shell": True},
        {"stdin": "x"},
    ],
)
def test_reg_50_a_command_is_an_argv_and_nothing_else(tmp_path: Path, args: dict[str, Any]) -> None:
    assert code_of(command(tmp_path, allow_all, **args)) == "validation_error"
    assert not list(tmp_path.rglob("made"))


@pytest.mark.parametrize("cwd", ["../outside", "..", "/", "~", "{outside}", "sub/../../outside", "to_outside"])
@pytest.mark.parametrize("in_run", [False, True])
@pytest.mark.parametrize("decision", [None, Decision.ALLOW_ONCE, Decision.ALLOW_FOR_SESSION])
def test_reg_50_a_command_outside_the_roots_never_runs_even_if_allowed(
    tmp_path: Path, cwd: str, decision: Decision | None, *, in_run: bool
) -> None:
    asked: list[PermissionRequest] = []

    def permission(request: PermissionRequest) -> Any:
        asked.append(request)
        return decision

    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "to_outside").symlink_to(tmp_path / "outside")
    folder = cwd.format(outside=tmp_path / "outside")
    result = command(tmp_path, allow_all if decision is None else permission, run=in_run, cwd=folder)
    assert code_of(result) == "outside_roots"
    assert result.is_error
    assert asked == [], "no request is made for a call that cannot be allowed"
    assert not list(tmp_path.rglob("made"))


def test_reg_50_a_command_needs_permission_each_time_and_runs_in_the_project(tmp_path: Path) -> None:
    assert code_of(command(tmp_path, deny_all)) == "permission_denied"
    assert code_of(command(tmp_path, lambda _request: Decision.DENY)) == "permission_denied"
    assert not list(tmp_path.rglob("made"))
    asked: list[PermissionRequest] = []

    def permission(request: PermissionRequest) -> Decision:
        asked.append(request)
        return Decision.ALLOW_ONCE

    assert code_of(command(tmp_path, permission)) == "ok"
    assert code_of(command(tmp_path, permission, cwd="sub")) == "ok"
    assert [path.relative_to(tmp_path / "project").as_posix() for path in sorted(tmp_path.rglob("made"))] == [
        "made",
        "sub/made",
    ]
    assert [(request.permission, request.dangerous, request.cwd) for request in asked] == [
        ("write", True, str(tmp_path / "project")),
        ("write", True, str(tmp_path / "project" / "sub")),
    ]


def test_reg_90_a_grant_for_the_built_in_command_covers_one_program_in_one_folder(tmp_path: Path) -> None:
    asked: list[PermissionRequest] = []

    def permission(request: PermissionRequest) -> Decision:
        asked.append(request)
        return Decision.ALLOW_FOR_SESSION

    runtime = commands(tmp_path, permission)
    run = runtime.start_run(session=Session())
    project = tmp_path / "project"
    for argv, more, scope in (
        (["touch", "a"], {}, {"cwd": str(project), "exec": "touch"}),
        (["touch", "b"], {"timeout_ms": 5000}, None),
        (["touch", "c"], {"cwd": "./sub/.."}, None),
        (["touch", "d"], {"cwd": "sub"}, {"cwd": str(project / "sub"), "exec": "touch"}),
        (["/usr/bin/env", "touch", "e"], {}, {"cwd": str(project), "exec": "/usr/bin/env"}),
        (["touch", "f"], {"cwd": "sub"}, None),
    ):
        asked.clear()
        payload = json.dumps({"argv": argv, **more})
        assert code_of(call_now(runtime, "code.run_command", payload, run=run)) == "ok"
        assert [dict(request.scope or ()) for request in asked] == ([] if scope is None else [scope])
    assert {path.name for path in project.rglob("*")} == {*"abcdef", "sub"}


KEYED = {"type": "object", "properties": {"key": {"description": "Anything."}}}


def asking(decisions: list[Any], values: list[Any], *, turn: bool = True, **settings: Any) -> tuple[list[str], int]:
    """Make calls of one turn that name a resource; return the codes and the number of requests."""
    asked: list[PermissionRequest] = []

    async def permission(request: PermissionRequest) -> Any:
        asked.append(request)
        decision = decisions[min(len(asked), len(decisions)) - 1]
        await asyncio.sleep(10 if decision == "late" else 0.001)
        return decision

    catalog = catalog_of(
        permission="readonly", tags={"dangerous"}, input_schema=KEYED, metadata={"access": {"scope": ["key"]}}
    )
    runtime = runtime_of(catalog, permission=permission, **settings)

    async def whole() -> list[str]:
        run = run_of(runtime)
        requests = [ToolRequest(name="own.tool", payload=json.dumps({"key": value})) for value in values]
        results = (
            await runtime.turn(requests, run) if turn else [await runtime.invoke(each, run=run) for each in requests]
        )
        assert run.session.asking == {}
        return [code_of(result) for result in results]

    return asyncio.run(whole()), len(asked)


SESSION, ONCE, DENY = Decision.ALLOW_FOR_SESSION, Decision.ALLOW_ONCE, Decision.DENY


@pytest.mark.parametrize(
    ("decisions", "codes", "asked"),
    [
        ([SESSION], ["ok"] * 4, 1),
        ([ONCE], ["ok"] * 4, 4),
        ([ONCE, SESSION], ["ok"] * 4, 2),
        ([DENY], ["permission_denied"] * 4, 4),
        ([DENY, ONCE, SESSION], ["permission_denied", "ok", "ok", "ok"], 3),
        (["broken"], ["permission_denied"] * 4, 4),
    ],
)
def test_reg_88_89_equal_requests_in_a_turn_are_made_once_if_the_answer_is_for_the_session(
    decisions: list[Any], codes: list[str], asked: int
) -> None:
    assert asking(decisions, ["one"] * 4) == (codes, asked)


def test_reg_96_a_timed_out_request_is_not_repeated_for_waiting_calls() -> None:
    assert asking(["late"], ["one"] * 3, permission_timeout=0.01) == (["permission_denied"] * 3, 1)


@pytest.mark.parametrize("ends", ["cancelled", "left", "left and answered"])
def test_reg_88_96_a_request_that_was_given_up_does_not_hold_back_others(ends: str) -> None:
    """The callback of the first call never answers, or only later; that of the second is asked meanwhile."""
    asked: list[str] = []

    async def whole() -> list[str]:
        late, is_asked = asyncio.Event(), asyncio.Event()

        async def permission(request: PermissionRequest) -> Decision:
            asked.append(request.meta.tool_call_id)
            is_asked.set()
            if request.meta.tool_call_id == "first":
                if ends != "cancelled":
                    turn = current_turn.get()
                    assert turn is not None
                    turn.end()
                    turn.end()  # without an effect
                await late.wait()
            return ONCE

        catalog = catalog_of(
            permission="readonly", tags={"dangerous"}, input_schema=KEYED, metadata={"access": {"scope": ["key"]}}
        )
        runtime = runtime_of(catalog, permission=permission)
        run = run_of(runtime)

        def call(call_id: str) -> asyncio.Task[ToolResult[Any]]:
            request = ToolRequest(name="own.tool", payload='{"key":1}', tool_call_id=call_id)
            return asyncio.create_task(runtime.invoke(request, run=run))

        first = call("first")
        await is_asked.wait()
        others = [call("second"), call("third")]
        await asyncio.sleep(0.01)
        if ends == "cancelled":
            assert asked == ["first"]
            first.cancel()
        async with asyncio.timeout(20):
            codes = [code_of(await other) for other in others]
        assert asked == ["first", "second", "third"]
        if ends == "left and answered":
            late.set()
            codes.append(code_of(await first))
        first.cancel()
        await asyncio.wait([first])
        assert run.session.asking == {}
        return codes

    assert asyncio.run(whole()) == ["ok"] * (3 if ends == "left and answered" else 2)


def test_reg_88_different_requests_in_a_turn_are_each_made() -> None:
    assert asking([SESSION], ["one", "two", "one", None, None]) == (["ok"] * 5, 4)


VALUES: list[Any] = ["1", 1, ["1"], True, "True", "true", [1], {"a": 1}, '{"a":1}', False, 0, "", [], [[]], {"a": "1"}]


@pytest.mark.parametrize("turn", [False, True])
def test_reg_88_a_grant_covers_one_json_value(*, turn: bool) -> None:
    assert asking([SESSION], VALUES, turn=turn) == (["ok"] * len(VALUES), len(VALUES))
    assert asking([SESSION], [1, 1.0, {"a": [2.0]}, {"a": [2]}], turn=turn) == (["ok"] * 4, 2)


@pytest.mark.parametrize("key", ["read", "write", "cwd"])
@pytest.mark.parametrize("value", [1, True, {"path": "/etc/passwd"}, [["a"]], [1]])
def test_a_path_that_is_not_a_string_is_an_error(key: str, value: Any) -> None:
    catalog = catalog_of(must_not_run, input_schema={"type": "object"}, metadata={"access": {key: ["path"]}})
    result = call_now(runtime_of(catalog), payload=json.dumps({"path": value}))
    assert code_of(result) == "invalid_path"
    assert result.error is not None
    assert "it is not a string" in result.error.message


def test_reg_76_a_hook_can_match_the_tag_dangerous() -> None:
    class NoDanger:
        def pre_tool_use(self, call: Any, /) -> Any:
            return Denial("too dangerous") if "dangerous" in call.tags else None

        def post_tool_use(self, _call: Any, _result: Any, /) -> None: ...

    catalog = add(catalog_of(must_not_run, tags={"dangerous"}), lambda _args: "ran", "own.plain")
    runtime = runtime_of(catalog, hooks=[NoDanger()])
    assert code_of(call_now(runtime)) == "hook_denied"
    assert code_of(call_now(runtime, "own.plain")) == "ok"
