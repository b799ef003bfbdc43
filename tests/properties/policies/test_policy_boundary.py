"""Calls forbidden by policies and effective sets never run, for any catalog, policies, agents, calls and answers.

The expected behaviour comes from `policy_reading`, which shares no code with the runtime.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import cycle, permutations, product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.properties.policies.policy_host import Host, hosted
from tests.properties.policies.policy_reading import Expected, Reading, RunSoFar, of_host, selects, strictest
from tests.properties.policies.policy_world import (
    ANSWERS,
    HOSTS,
    IDENTS,
    NETWORK_ANSWERS,
    SELECTORS,
    SPELLINGS,
    URLS,
    Agent,
    Call,
    Policy,
    Start,
    Step,
    Tool,
    World,
    worlds,
)
from tests.properties.sessions.virtual_time import run as run_now
from toolgen.record.calls import calls_of
from toolgen.runtime.policy.policy import Policies
from toolgen.runtime.runs.run import Run
from toolgen.spec.builtin import BUILTIN_TOOLSETS
from toolgen.spec.selector import Selector
from toolgen.spec.text import shown_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgen.contract.records import ToolResult
    from toolgen.record.calls import RecordedCall

CODES = {
    "ok", "handler_error", "tool_not_available", "validation_error", "hook_denied", "permission_denied", "gate_refused",
    "child_agent_limit_exceeded", "no_executor", "skipped",
}  # fmt: skip
"""All outcomes that the worlds must produce; if one is missing, the worlds are too simple."""

unhurried = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def test_reg_05_22_29_84_forbidden_calls_never_run_and_all_others_run_as_specified() -> None:
    met: Counter[str] = Counter()

    @settings(unhurried, max_examples=150)
    @given(worlds())
    def check(world: World) -> None:
        met.update(Check(world).codes)

    check()
    assert met.keys() == CODES


@pytest.mark.long
@settings(unhurried, max_examples=8000)
@given(worlds())
def test_reg_05_22_29_84_forbidden_calls_never_run_in_many_more_worlds(world: World) -> None:
    Check(world)


class Check:
    """Make all calls of a world and compare how they ended and who was asked with the spec."""

    def __init__(self, world: World) -> None:
        self.codes: list[str] = []
        with hosted(world) as host:
            self._host = host
            self._reading = Reading(world, host.wire_names, host.python_names)
            self._runs: list[Run] = []
            run_now(self._all())
        self.asked = host.asked

    async def _all(self) -> None:
        runs: list[tuple[Run, RunSoFar] | None] = []
        for start in self._host.world.starts:
            run, expected = self._host.start(start), self._reading.start(start)
            if isinstance(run, Run) and isinstance(expected, RunSoFar):
                assert set(run.effective.tools) == expected.tools
                runs.append((run, expected))
                self._runs.append(run)
            else:
                assert run == expected
                runs.append(None)
        for step in self._host.world.steps:
            found = None if step.run is None else runs[step.run]
            if step.run is None or found is not None:
                await self._step(step, *(found or (None, None)))

    async def _step(self, step: Step, run: Run | None, so_far: RunSoFar | None) -> None:
        expected = self._reading.expect(step, so_far)
        ran, asked, before = len(self._host.ran), len(self._host.asked), await _record(self._host)
        results = await self._host.make(step, run, self._reading.text)
        self._check_results(step, expected, results)
        self._check_not_forbidden(self._host.ran[ran:], so_far)
        made = list(zip(step.calls, expected, strict=True))
        should_run = [(each.ident, call.number) for call, each in made if each.ran]
        assert sorted(self._host.ran[ran:]) == sorted(should_run)
        assert [each for each in self._host.ran[ran:] if self._writes(each[0])] == [
            (ident, number) for ident, number in should_run if self._writes(ident)
        ]
        if self._host.world.permission == "callback":
            assert self._host.asked[asked:] == [(each.ident, call.number) for call, each in made if each.asked]
        recorded = [call for call in await _record(self._host) if call not in before]
        _check_record(recorded, expected, results)
        run_ids = {call.events[0].run_id for call in recorded}
        assert run_ids == {run.meta.run_id} if run else not run_ids & {started.meta.run_id for started in self._runs}

    def _check_results(self, step: Step, expected: Sequence[Expected], results: Sequence[ToolResult[Any]]) -> None:
        codes = ["ok" if result.error is None else result.error.code for result in results]
        assert codes == [each.code for each in expected]
        ids = [result.tool_call_id for result in results]
        assert all(ids)
        assert len(set(ids)) == len(ids)
        for call, each, result in zip(step.calls, expected, results, strict=True):
            assert result.tool_name == (each.ident or shown_name(self._reading.text(call)))
            _check_paired(step, call, result)
        self.codes += codes

    def _writes(self, ident: str | None) -> bool:
        return ident is not None and self._reading.tool(ident).permission == "write"

    def _check_not_forbidden(self, ran: Sequence[tuple[str, int]], run: RunSoFar | None) -> None:
        """Check the same again, as directly as possible."""
        role, mode = (run.role, run.mode) if run else ("main", "")
        for ident, number in ran:
            tool = self._reading.tool(ident)
            assert not {"exclude", "deny"} & set(self._reading.answers_for(tool, role, mode))
            assert run is None or ident in run.tools
            if (ident, number) in self._host.asked:
                assert self._host.calls[number].permission in ("allow_once", "allow_for_session")
            elif "dangerous" in tool.tags:
                is_granted = run is not None and ident in {granted for granted, _ in run.grants}
                assert is_granted or self._host.world.permission == "allow_all"


def _check_paired(step: Step, call: Call, result: ToolResult[Any]) -> None:
    """Check that a result has the id of its call or, if another call of the turn had it, a new one and the original."""
    if step.way == "typed" or not call.tool_call_id:
        return
    first = next(each for each in step.calls if each.tool_call_id == call.tool_call_id)
    if step.way != "turn" or first is call:
        assert result.tool_call_id == call.tool_call_id
    else:
        assert result.metadata["raw_tool_call_id"] == call.tool_call_id


async def _record(host: Host) -> list[RecordedCall]:
    """Return all recorded calls of all runs."""
    runs = [await host.store.read(summary.run_id) for summary in await host.store.runs()]
    return [call for run in runs for call in calls_of(run)]


def _check_record(
    recorded: Sequence[RecordedCall], expected: Sequence[Expected], results: Sequence[ToolResult[Any]]
) -> None:
    """Check that each call is recorded once with the right kind, and that exactly the calls that ran have a start."""
    by_id = {call.tool_call_id: call for call in recorded}
    assert len(by_id) == len(recorded) == len(results)
    for each, result in zip(expected, results, strict=True):
        call = by_id[result.tool_call_id]
        assert [event.kind for event in call.events] == [*(["tool_started"] if each.ran else []), each.kind]
        assert call.tool == result.tool_name
        assert call.result is not None
        assert call.result.success is (each.code == "ok")


def test_reg_05_10_a_selector_matches_tools_as_specified() -> None:
    for selector, ident, tags in product(SELECTORS, IDENTS, ((), ("dangerous",), ("network", "dangerous"), ("agent",))):
        for permission in ("readonly", "write"):
            tool = tool_of(permission, *tags, ident=ident)
            matches = Selector.parse(selector).matches(tool.ident, tool.toolset, tool.tags)
            assert matches is selects(selector, tool), (selector, tool)


@pytest.mark.parametrize(("run", "way"), [(0, "invoke"), (0, "turn"), (0, "typed"), (None, "invoke"), (None, "typed")])
def test_reg_05_a_rule_applies_to_every_spelling(run: int | None, way: str) -> None:
    tools = [tool_of("readonly", ident=ident) for ident in IDENTS]
    rules = dict(zip(IDENTS, cycle(["deny", "exclude", "allow"]), strict=False))
    calls = [
        Call(number=number, tool=ident, spelling=spelling, tool_call_id=f"c{number}")
        for number, (ident, spelling) in enumerate(product(IDENTS, SPELLINGS))
    ]
    codes = Counter(Check(world_of(tools, [policy_of(rules=rules)], [Step(run=run, way=way, calls=calls)])).codes)
    assert codes.keys() == {"ok", "permission_denied", "tool_not_available"}
    assert codes["ok"] >= 2 * len(IDENTS) / 3, "each tool has at least two names"


def test_reg_75_the_closest_name_decides_for_every_host() -> None:
    hosts = sorted({url.host or "*" for url in URLS} | {"fixed.example.org", "example.org", "com"})
    for (one, said), (other, also) in product(product(HOSTS, NETWORK_ANSWERS), repeat=2):
        network = {one: said, other: also}
        policies = Policies({"p": {"network": network}})
        assert [policies.judge_hosts([host]).answer for host in hosts] == [of_host(host, network) for host in hosts]


@pytest.mark.parametrize("person", ["callback", "allow_all", "deny_all"])
@pytest.mark.parametrize("tags", [(), ("dangerous",)])
@pytest.mark.parametrize("permission", ["readonly", "write"])
@pytest.mark.variants(5)
def test_reg_76_the_strictest_answer_wins_in_any_policy_and_allow_never_lifts_dangerous(
    permission: str, tags: tuple[str, ...], person: str
) -> None:
    for one, other in product(ANSWERS, ANSWERS):
        rules: list[dict[str, Any]] = [{"rules": {"*": one}}, {"roles": {"main": {"core": other}}}]
        for places in permutations(rules):
            answer = strictest({one, other, *(["ask"] if tags else [])})
            steps = [
                Step(run=run, way="invoke", calls=[Call(number=number, tool="core.tool", tool_call_id=f"c{number}")])
                for number, run in enumerate((0, None))
            ]
            world = world_of([tool_of(permission, *tags)], [policy_of(**place) for place in places], steps)
            check = Check(replace(world, permission=person))
            otherwise = "permission_denied" if person == "deny_all" else "ok"
            codes = {"exclude": "tool_not_available", "deny": "permission_denied", "ask": otherwise, "allow": "ok"}
            code = codes[answer]
            assert check.codes == [code, code]
            assert len(check.asked) == (2 if answer == "ask" and person == "callback" else 0)


@pytest.mark.parametrize(("way", "asked"), [("turn", [0]), ("invoke", [0, 1])])
@pytest.mark.parametrize("permission", ["allow_once", "allow_for_session", "deny"])
def test_reg_96_calls_that_wait_for_an_answer_share_its_timeout(permission: str, way: str, asked: list[int]) -> None:
    calls = [
        Call(number=number, tool="core.tool", tool_call_id=f"c{number}", url=URLS[0], permission=answer)
        for number, answer in enumerate(("late", permission))
    ]
    tool = replace(tool_of("readonly", "network"), access={"url": ["url"]})
    check = Check(world_of([tool], [], [Step(run=0, way=way, calls=calls)]))
    is_allowed = way == "invoke" and permission != "deny"
    assert check.codes == ["permission_denied", "ok" if is_allowed else "permission_denied"]
    assert check.asked == [("core.tool", number) for number in asked]


def tool_of(permission: str, *tags: str, ident: str = "core.tool") -> Tool:
    return Tool(
        ident=ident,
        permission=permission,
        tags=frozenset({permission, *tags}),
        roles=None,
        confirm="",
        access={},
        gate=False,
    )


def policy_of(**rules: Any) -> Policy:
    none: Any = {"rules": {}, "roles": {}, "modes": {}}
    return Policy(**{**none, **rules}, network={}, on_permission_deny="continue_readonly", children_per_run=4)


def world_of(tools: list[Tool], policies: Sequence[Policy], steps: list[Step]) -> World:
    """Return a world of some tools and policies, and a person who allows all calls."""
    return World(
        tools=tools,
        policies={str(number): policy for number, policy in enumerate(policies)},
        in_force=[str(number) for number in range(len(policies))],
        agents={"a": Agent(role="main", use=["*"], on_request=[], suggest=[])},
        starts=[Start(agent="a", role="", mode="", requested=None, session=0)],
        steps=steps,
        runners={tool.toolset: "handlers" for tool in tools if tool.toolset in BUILTIN_TOOLSETS},
    )
