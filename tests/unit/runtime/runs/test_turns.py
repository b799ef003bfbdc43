"""Turns: which calls run concurrently, wait or are skipped, and that every call has its result."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.runs.test_runs import run_of
from tests.unit.runtime.tools import add, code_of, runtime_of
from toolgen.contract.ident import Ident
from toolgen.contract.records import FailureKind, ToolRequest, ToolResult
from toolgen.runtime import Catalog
from toolgen.runtime.calls.call import Denial
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.runtime.runs.schedule import Batch, Group, batches, group_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from toolgen.runtime.runs.run import Run


class Host:
    """Tools that record their start and end: `r` reads, `q` asks and reads, `w` writes, `a` starts an agent.

    `fail` makes one fail.
    """

    def __init__(self, *, fail: Sequence[str] = (), seconds: float = 0.01) -> None:
        self.trace: list[str] = []
        self.catalog = Catalog()
        self._fail = fail
        self._seconds = seconds
        add(self.catalog, self._handler("r"), "t.r", permission="readonly")
        add(self.catalog, self._handler("q"), "t.q", permission="readonly", metadata={"confirm": "Sure?"})
        add(self.catalog, self._handler("w"), "t.w")
        add(self.catalog, self._handler("a"), "t.a", permission="readonly", tags={"agent"})

    def _handler(self, kind: str) -> Callable[[Any], Any]:
        async def handler(args: Any) -> Any:
            name = f"{kind}{args['n']}"
            self.trace.append(f"{name}+")
            try:
                await asyncio.sleep(self._seconds)
            finally:
                self.trace.append(f"{name}-")
            if name in self._fail:
                raise ValueError(name)
            return name

        return handler

    def turn(
        self, *names: str, during: Callable[[Run], object] | None = None, rules: Any = None, **settings: Any
    ) -> Any:
        """Make calls such as `r1` and return their results. `during` is called while the first batch runs."""
        requests = [request(name) for name in names]

        async def whole() -> list[ToolResult[Any]]:
            run = run_of(self.catalog, rules)[1]
            if during:
                asyncio.get_running_loop().call_later(self._seconds / 2, during, run)
            results = await runtime_of(self.catalog, **settings).turn(requests, run)
            assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []
            return results

        return asyncio.run(whole())


def request(name: str, tool_call_id: str | None = None) -> ToolRequest:
    payload = f'{{"n": {name[1:]}}}'
    return ToolRequest(
        name=f"t.{name[0]}", payload=payload, tool_call_id=name if tool_call_id is None else tool_call_id
    )


def codes(results: list[ToolResult[Any]]) -> list[str]:
    return [code_of(result) for result in results]


def test_reg_77_78_reads_run_concurrently_and_never_overlap_a_write() -> None:
    host = Host()
    results = host.turn("r1", "r2", "w1", "w2", "r3", "r4")
    assert codes(results) == ["ok"] * 6
    assert host.trace == ["r1+", "r2+", "r1-", "r2-", "w1+", "w1-", "w2+", "w2-", "r3+", "r4+", "r3-", "r4-"]
    three = Host()
    assert codes(three.turn("r1", "r2", "r3")) == ["ok"] * 3
    assert three.trace[:3] == ["r1+", "r2+", "r3+"], "in the model's order, and each before the end of another"


def test_reg_79_tools_that_start_agents_are_a_separate_class() -> None:
    host = Host()
    host.turn("r1", "a1", "a2", "r2")
    assert host.trace == ["r1+", "r1-", "a1+", "a2+", "a1-", "a2-", "r2+", "r2-"]


def test_reg_80_the_number_of_agents_started_by_a_run_is_limited() -> None:
    assert codes(Host().turn(*(f"a{n}" for n in range(6)))) == ["ok"] * 4 + ["child_agent_limit_exceeded"] * 2


def test_reg_80_the_number_of_concurrent_agents_in_a_session_is_limited() -> None:
    host = Host()

    async def three_runs() -> list[str]:
        runtime = runtime_of(host.catalog)
        first = run_of(host.catalog)[1]
        runs = [first, *(run_of(host.catalog, session=first.session)[1] for _ in range(2))]
        turns = [runtime.turn([request(f"a{n}") for n in range(4)], run) for run in runs]
        ended = [code for turn in await asyncio.gather(*turns) for code in codes(turn)]
        assert first.session.agents.count == 0
        return ended

    assert sorted(asyncio.run(three_runs())) == ["child_agent_limit_exceeded"] * 4 + ["ok"] * 8


def test_reg_81_a_failed_child_cancels_no_others() -> None:
    host = Host(fail=["a2"])
    assert codes(host.turn("a1", "a2", "a3")) == ["ok", "handler_error", "ok"]
    assert len(host.trace) == 6


def test_reg_82_after_a_failed_read_the_rest_runs() -> None:
    assert codes(Host(fail=["r1"]).turn("r1", "r2", "w1")) == ["handler_error", "ok", "ok"]


def test_reg_83_after_a_failed_write_nothing_runs() -> None:
    host = Host(fail=["w1"])
    results = host.turn("r1", "w1", "r2", "w2")
    assert codes(results) == ["ok", "handler_error", "skipped", "skipped"]
    assert results[2].error.kind is FailureKind.SKIPPED
    assert [result.tool_call_id for result in results] == ["r1", "w1", "r2", "w2"]
    assert host.trace == ["r1+", "r1-", "w1+", "w1-"]


def test_reg_97_after_a_denial_by_a_person_nothing_runs() -> None:
    results = Host().turn("r1", "w1", "r2", permission=lambda _request: Decision.DENY)
    assert codes(results) == ["ok", "permission_denied", "skipped"]


class Stop(BaseException):
    pass


ANSWERS: list[Any] = [Decision.DENY, True, None, ValueError(), SystemExit(), asyncio.CancelledError(), Stop()]


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: type(answer).__name__)
def test_reg_97_whatever_denies_a_read_nothing_runs_after_it(answer: Any, is_async: bool) -> None:
    def sync(_request: object) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def later(request: object) -> Any:
        return sync(request)

    host = Host()
    results = host.turn("q1", "w1", permission=later if is_async else sync)
    assert codes(results) == ["permission_denied", "skipped"]
    assert host.trace == []


def test_reg_97_nothing_runs_after_a_folder_outside_the_roots(tmp_path: Path) -> None:
    catalog, host = Catalog(), Host()
    access = {"metadata": {"access": {"cwd": ["dir"]}}}
    add(catalog, host._handler("r"), "t.r", permission="readonly", **access)  # the same host
    add(catalog, host._handler("w"), "t.w")

    async def whole(payload: str) -> list[str]:
        requests = [ToolRequest(name="t.r", payload=payload), ToolRequest(name="t.w", payload='{"n": 1}')]
        return codes(await runtime_of(catalog, project=tmp_path).turn(requests, run_of(catalog)[1]))

    assert asyncio.run(whole('{"n": 1, "dir": "/etc"}')) == ["outside_roots", "skipped"]
    assert asyncio.run(whole('{"n": 1, "dir": "a\\u0000"}')) == ["invalid_path", "ok"], "that is a wrong arg"


def test_turns_of_one_run_may_have_calls_with_the_same_id() -> None:
    """Some models number the calls of each turn: a denial counts for its turn, and each result keeps its id."""
    host = Host()

    async def deny(_request: object) -> Decision:
        await asyncio.sleep(0.03)
        return Decision.DENY

    async def whole() -> list[list[ToolResult[Any]]]:
        run, runtime = run_of(host.catalog)[1], runtime_of(host.catalog, permission=deny)
        turns = [[request("q1", "0"), request("w1", "1")], [request("r1", "0"), request("r2", "1"), request("r3", "2")]]
        return await asyncio.gather(*(runtime.turn(each, run) for each in turns))

    first, second = asyncio.run(whole())
    assert codes(first) == ["permission_denied", "skipped"]
    assert codes(second) == ["ok", "ok", "ok"]
    raw = [[each.metadata.get("raw_tool_call_id", each.tool_call_id) for each in turn] for turn in (first, second)]
    assert raw == [["0", "1"], ["0", "1", "2"]]
    assert len({each.tool_call_id for each in (*first, *second)}) == 5


def test_after_a_denial_by_a_person_reads_may_continue() -> None:
    host = Host()

    async def whole() -> list[str]:
        runtime = runtime_of(host.catalog, permission=lambda _request: Decision.DENY)
        vars(runtime)["_host"].policies.may_continue = True
        requests = [request(name) for name in ("r1", "w1", "r2", "w2", "r3")]
        return codes(await runtime.turn(requests, run_of(host.catalog)[1]))

    assert asyncio.run(whole()) == ["ok", "permission_denied", "ok", "skipped", "ok"]


@pytest.mark.parametrize(
    ("denied", "rest"), [("t.r", ["hook_denied", "ok", "ok"]), ("t.w", ["ok", "hook_denied", "skipped"])]
)
def test_reg_98_after_a_denial_by_a_hook_the_rest_runs_unless_it_was_a_write(denied: str, rest: list[str]) -> None:
    class Hook:
        def pre_tool_use(self, request: Any, /) -> Any:
            return Denial("no") if request.tool_name == denied and request.arguments != b'{"n":9}' else None

        def post_tool_use(self, request: Any, result: Any, /) -> None: ...

    assert codes(Host().turn("r1", "w1", "r9", hooks=[Hook()])) == rest


def test_reg_71_an_abort_stops_running_calls_and_skips_the_rest() -> None:
    host = Host(seconds=0.2)
    results = host.turn("r1", "r2", "w1", during=lambda run: run.abort("the user pressed escape"))
    assert codes(results) == ["aborted"] * 3
    assert sorted(host.trace) == ["r1+", "r1-", "r2+", "r2-"]
    for result in results:
        assert result.error is not None
        assert result.error.kind is FailureKind.ABORTED
        assert (result.metadata["aborted"], result.metadata["abort_reason"]) == (True, "the user pressed escape")


def test_results_before_an_abort_are_kept() -> None:
    host = Host()
    results = host.turn("w1", "w2", "w3", during=lambda run: run.abort())
    assert codes(results) == ["aborted"] * 3

    def abort_in_write(run: Run) -> None:
        if "w1+" in host.trace:
            run.abort()
        else:
            asyncio.get_running_loop().call_later(0.001, abort_in_write, run)

    host = Host(seconds=0.05)
    assert codes(host.turn("r1", "w1", during=abort_in_write)) == ["ok", "aborted"]


@pytest.mark.parametrize("names", [("r1", "r2", "r3"), ("a1", "a2"), ("w1", "r2", "w3"), ("r1", "a1", "w1")])
def test_reg_69_a_turn_ends_with_the_last_of_its_calls(names: tuple[str, ...]) -> None:
    """The host gets the results after the end of every call, even of slow and failing ones."""
    host = Host(fail=["r2"], seconds=0.02)

    async def whole() -> None:
        results = await runtime_of(host.catalog).turn([request(name) for name in names], run_of(host.catalog)[1])
        host.trace.append("next request")
        assert [result.tool_call_id for result in results] == list(names)
        await asyncio.sleep(0.05)

    asyncio.run(whole())
    assert host.trace[-1] == "next request"
    assert sorted(host.trace[:-1]) == sorted([f"{name}{end}" for name in names for end in "+-"])


def test_reg_69_a_turn_whose_caller_is_cancelled_leaves_nothing_running() -> None:
    host = Host(seconds=60)

    async def whole() -> None:
        turn = asyncio.ensure_future(
            runtime_of(host.catalog).turn([request("r1"), request("r2")], run_of(host.catalog)[1])
        )
        while len(host.trace) < 2:
            await asyncio.sleep(0)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert sorted(host.trace) == ["r1+", "r1-", "r2+", "r2-"]

    asyncio.run(whole())


def test_reg_18_calls_and_results_are_paired_by_unique_ids() -> None:
    host = Host()

    async def whole() -> list[ToolResult[Any]]:
        requests = [request("r1", "x"), request("r2", "x"), request("r3", ""), request("r4", "y")]
        return await runtime_of(host.catalog).turn(requests, run_of(host.catalog)[1])

    results = asyncio.run(whole())
    assert [result.value for result in results] == ["r1", "r2", "r3", "r4"]
    ids = [result.tool_call_id for result in results]
    assert (ids[0], ids[3], len(set(ids))) == ("x", "y", 4)
    assert [result.metadata.get("raw_tool_call_id") for result in results] == [None, "x", None, None]


def test_an_unknown_tool_fails_among_the_reads() -> None:
    host = Host()

    async def whole() -> list[str]:
        requests = [request("r1"), ToolRequest(name="nothing.there"), request("r2"), request("w1")]
        return codes(await runtime_of(host.catalog).turn(requests, run_of(host.catalog)[1]))

    assert asyncio.run(whole()) == ["ok", "tool_not_available", "ok", "ok"]


def test_batches_hold_every_call_once_and_in_order() -> None:
    catalog = Host().catalog
    groups = [group_of(catalog.entry(f"t.{letter}")) for letter in "rrwwaarwr"]
    found = list(batches(groups))
    assert [place for batch in found for place in batch.places] == list(range(9))
    assert found[:3] == [Batch(Group.READONLY, (0, 1)), Batch(Group.WRITE, (2,)), Batch(Group.WRITE, (3,))]
    assert list(batches([])) == []


def test_a_run_that_has_ended_makes_no_call_through_any_door() -> None:
    host = Host()

    async def whole() -> None:
        runtime = runtime_of(host.catalog, permission=lambda _: Decision.ALLOW_ONCE)
        run = run_of(host.catalog)[1]
        assert code_of(await runtime.invoke(request("r1"), run=run)) == "ok"
        assert await runtime.permission_request(request("w1"), run) is not None
        await runtime.end_run(run)
        trace = [*host.trace]
        results = [
            await runtime.invoke(request("r1"), run=run),
            await runtime.invoke(request("w1"), run=run),
            await runtime.invoke_apart(request("r1"), run=run),
            await runtime.call(Ident("t.r"), {"n": 1}, run=run),
            await runtime.skip(request("r1"), run),
            *await runtime.turn([request("r1"), request("r2")], run),
        ]
        for result in results:
            assert result.error is not None
            told = (result.error.kind, result.error.code, result.error.message, result.error.hint)
            assert told == (FailureKind.SKIPPED, "run_ended", "the run has ended", "make the call in another run")
        assert await runtime.permission_request(request("w1"), run) is None
        assert host.trace == trace
        other = run_of(host.catalog)[1]
        assert code_of(await runtime.invoke(request("r1"), run=other)) == "ok"

    asyncio.run(whole())


def test_a_call_that_waits_for_a_person_while_its_run_ends_is_not_made() -> None:
    host = Host()

    async def whole() -> None:
        run = run_of(host.catalog)[1]

        async def ask(_: PermissionRequest) -> Decision:
            await runtime.end_run(run)
            return Decision.ALLOW_ONCE

        runtime = runtime_of(host.catalog, permission=ask)
        assert code_of(await runtime.invoke(request("w1"), run=run)) == "run_ended"

    asyncio.run(whole())
    assert host.trace == []
