"""Agent tools: the messages of a run, the handling of its answer, and its end with the call that started it."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.toolsets.agent.agents.world import (
    DELEGATE,
    FOUND,
    VERDICT,
    VERIFY,
    Held,
    World,
    call_of,
    code_of,
    in_loop,
    run_link,
    scripted_agent,
    search,
    sub,
    value_of,
)
from tests.work import assert_linear
from toolgen.agents.exported import AgentExecutor, _Prompt, agent_executor, json_in
from toolgen.agents.planner import RunOutcome
from toolgen.agents.runs import AgentRun, sum_telemetry
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest, ToolResult
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Runtime, ToolNotFound, allow_all, load
from toolgen.runtime.base.errors import CallFailed, ExecutorError, PermissionDenied
from toolgen.runtime.calls.call import Denial
from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    from toolgen.agents.planner import Message
    from toolgen.runtime.events.records import NewEvent

SOURCES = [{"url": "https://a.example", "title": "A"}]


def messages_of(request: ToolRequest, answer: Any) -> tuple[Message, Message]:
    """Return the messages of the run that a call starts."""
    runs: list[AgentRun] = []

    async def run_agent(run: AgentRun) -> RunOutcome:
        runs.append(run)
        return RunOutcome(value=answer)

    assert code_of(World(run_agent).one(request)) == "ok"
    return runs[0].messages


def test_the_tool_template_is_the_user_message_and_the_agent_text_the_system_message() -> None:
    system, user = messages_of(search("Who was first?", not_before="2020-01-01"), FOUND)
    assert (system.role, system.content) == (
        "system",
        "You are a careful researcher. Every statement needs a source.",
    )
    assert (user.role, user.content) == (
        "user",
        "Question: Who was first?\nDepth: normal\nUse nothing older than: 2020-01-01\n",
    )


def test_an_absent_arg_is_empty_and_template_syntax_in_an_arg_is_text() -> None:
    _, user = messages_of(search("{{args.depth}}", depth="deep"), FOUND)
    assert user.content == "Question: {{args.depth}}\nDepth: deep\nUse nothing older than: \n"


def test_without_a_user_template_the_run_gets_canonical_json_and_the_system_text_of_the_tool() -> None:
    system, user = messages_of(call_of(VERIFY, sources=SOURCES, claim="it is"), VERDICT)
    assert system.content == "You are a sceptical fact checker. Answer only from the sources you are given."
    assert user.content == '{"claim":"it is","sources":[{"title":"A","url":"https://a.example"}]}'


def test_the_text_of_an_agent_is_not_a_template() -> None:
    prompt = _Prompt(agent_system="Write {{args.query}} like this.", system=None, user="{{args.query}}", defaults={})
    assert prompt.filled(b'{"query":"x"}') == ("Write {{args.query}} like this.", "x")


def test_the_answer_becomes_the_typed_result() -> None:
    result = World(scripted_agent(answer=FOUND)).one(search())
    assert (value_of(result).answer, result.payload) == ("yes", b'{"answer":"yes","sources":[]}')


def test_an_answer_that_violates_the_schema_is_a_malformed_result() -> None:
    result = World(scripted_agent(answer="yes")).one(search())
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.MALFORMED_RESULT, "malformed_result")


class Broken(RuntimeError):
    """An error raised by a planner loop of the host."""


@pytest.mark.parametrize(
    ("raised", "kind", "code", "message"),
    [
        (Broken("the model is gone"), FailureKind.INTERNAL, "handler_error", "the model is gone"),
        (TimeoutError("no answer in 5 s"), FailureKind.TIMEOUT, "timeout", "no answer in 5 s"),
        (CallFailed(FailureKind.UNAVAILABLE, "no_model", "no model"), FailureKind.UNAVAILABLE, "no_model", "no model"),
        # Errors of the runtime, which are about other calls than this one.
        (ToolNotFound("a.b"), FailureKind.INTERNAL, "handler_error", "no tool is named 'a.b'"),
        (PermissionDenied("a.b", "no"), FailureKind.INTERNAL, "handler_error", "a.b was not allowed to run: no"),
    ],
)
def test_a_run_that_raises_is_an_error_with_its_cause_and_a_link_to_its_record(
    raised: Exception, kind: FailureKind, code: str, message: str
) -> None:
    async def run_agent(run: AgentRun) -> RunOutcome:
        await run.turn([call_of("router.web_search", query="x")])
        raise raised

    world = World(run_agent)
    run = world.start()
    result = world.one(search(), run=run)
    assert result.error is not None
    assert (result.error.kind, result.error.code, result.error.message) == (kind, code, message)
    assert result.error.cause is raised
    assert result.metadata["children_count"] == 1
    ended = world.events(run.meta.run_id, "agent_run_ended")[0]
    assert ended.data == {**run_link(result), "state": "failed"}
    assert [event.data for event in world.events(run_link(result)["run_id"], "run_ended")] == [{"end_reason": "failed"}]


def test_a_run_that_raises_system_exit_fails_only_its_call() -> None:
    async def run_agent(_run: AgentRun) -> RunOutcome:
        raise SystemExit(3)

    world = World(run_agent)
    run = world.start()
    assert code_of(world.one(search(), run=run)) == "handler_error"
    assert world.events(run.meta.run_id, "agent_run_ended")[0].data["state"] == "failed"


def test_telemetry_of_a_run_and_its_calls_is_summed_over_all_levels() -> None:
    spent = {"tokens": 10, "cost": 0.5, "model": "small", "cached": True}

    async def run_agent(run: AgentRun) -> RunOutcome:
        if run.run.agent == "default_sub":
            await run.turn([search(), call_of("router.web_search", query="x")])
            return RunOutcome(value="done", telemetry={"tokens": 1, "model": "large"})
        return RunOutcome(value=FOUND, telemetry=spent)

    found = ToolResult[Any](value=[], telemetry={"tokens": 100, "pages": 2})
    result = World(run_agent, tools={"router.web_search": lambda _args, _meta: found}).one(sub())
    assert result.telemetry == {"tokens": 111, "cost": 0.5, "pages": 2, "model": "large"}
    assert result.metadata["children_count"] == 2


@pytest.mark.parametrize("figures", [(1e308, 1e308), (0.5, 10**400), (10**400, 0.5)])
def test_telemetry_that_cannot_be_summed_does_not_fail_a_run(figures: tuple[float, float]) -> None:
    left = iter(figures)

    async def run_agent(run: AgentRun) -> RunOutcome:
        await run.turn([call_of("router.web_search", query="x")] * 2)
        return RunOutcome(value="done")

    reported = lambda _args, _meta: ToolResult[Any](value=[], telemetry={"tokens": next(left)})  # noqa: E731  # one expression
    result = World(run_agent, tools={"router.web_search": reported}).one(sub())
    assert result.error is None
    assert result.telemetry == {"tokens": figures[0]}


def test_non_numeric_telemetry_is_not_summed() -> None:
    assert sum_telemetry({"a": "x", "b": 1}, [{"a": 1, "b": "y", "c": None}, {"b": 2}]) == {"a": "x", "b": 3}


def test_ending_a_call_ends_its_run_and_leaves_nothing_running() -> None:
    """The call of the child, the child, and the call of the parent are all cancelled."""
    begun, stopped = asyncio.Event(), list[str]()

    async def fetch(_args: Any, _meta: ToolCallMeta) -> Any:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            stopped.append("call of the child")

    async def run_agent(run: AgentRun) -> RunOutcome:
        try:
            await run.turn([call_of("router.web_search", query="x")])
        finally:
            stopped.append("child")
        return RunOutcome(value=FOUND)

    world = World(run_agent, tools={"router.web_search": fetch})
    run = world.start()

    async def main() -> None:
        turn = asyncio.ensure_future(world.runtime.turn([search()], run))
        await begun.wait()
        run.abort("enough")
        result = (await turn)[0]
        assert code_of(result) == "aborted"
        assert result.metadata["abort_reason"] == "enough"
        assert asyncio.all_tasks() == {asyncio.current_task()}

    in_loop(main)
    assert stopped == ["call of the child", "child"]
    assert run.session.agents.count == 0
    ended = world.events(run.meta.run_id, "agent_run_ended")[0]
    assert ended.data["state"] == "cancelled"
    child = ended.data["run_id"]
    assert [event.kind for event in world.events(child)] == ["tool_started", "tool_failed", "run_ended"]


def test_cancelling_the_caller_cancels_the_run() -> None:
    held = Held(1)
    world = World(held)

    async def main() -> None:
        call = asyncio.ensure_future(world.runtime.invoke(search()))
        await held.all_started.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert asyncio.all_tasks() == {asyncio.current_task()}

    in_loop(main)


def test_an_ended_run_makes_no_more_calls() -> None:
    """A planner loop that leaves a task running."""
    runs: list[AgentRun] = []

    async def run_agent(run: AgentRun) -> RunOutcome:
        runs.append(run)
        return RunOutcome(value=FOUND)

    world = World(run_agent)

    async def main() -> None:
        await world.turn(search())
        late = await runs[0].turn([call_of("router.web_search", query="x")])
        assert [code_of(result) for result in late] == ["aborted"]
        assert late[0].metadata["abort_reason"] == "the run is completed"

    in_loop(main)
    assert world.ran == []


def test_agents_that_start_agents_are_limited_by_the_session() -> None:
    """An agent that delegates its task to the next one endlessly."""
    codes: list[str] = []

    async def run_agent(run: AgentRun) -> RunOutcome:
        below = await run.turn([call_of(DELEGATE, to="default_sub", request="you do it")])
        codes.append(code_of(below[0]))
        return RunOutcome(value="done")

    world = World(run_agent)
    run = world.start()
    assert code_of(world.one(sub(), run=run)) == "ok"
    assert codes == ["child_agent_limit_exceeded"] + ["ok"] * 7, "the limit of concurrent agents in a session"
    assert run.session.agents.count == 0


def test_an_unknown_or_unexported_toolset_has_no_executor() -> None:
    catalog = load("generated")
    with pytest.raises(ExecutorError, match=r"there is no toolset research in the catalog"):
        agent_executor(catalog, "research", scripted_agent())
    with pytest.raises(ExecutorError, match=r"no agent exports code: it is of kind service"):
        agent_executor(catalog, "code", scripted_agent())


def test_the_generated_constructor_accepts_the_executor() -> None:
    from generated.orchestrator.agents.chat.toolsets import orchestrator

    catalog = load("generated")
    registration = orchestrator.new_chat_research_toolset_registration(
        AgentExecutor(catalog, "orchestrator.research", scripted_agent(answer=FOUND))
    )
    runtime = Runtime(catalog, permission=allow_all, executors=[registration], missing=catalog.toolsets)
    result = asyncio.run(runtime.invoke(orchestrator.research.new_search_call(query="x")))
    assert result.value == orchestrator.research.SearchResult(answer="yes", sources=[])


def test_a_call_outside_of_any_run_also_starts_one() -> None:
    runs: list[AgentRun] = []

    async def run_agent(run: AgentRun) -> RunOutcome:
        runs.append(run)
        return RunOutcome(value=FOUND)

    result = asyncio.run(World(run_agent).runtime.invoke(search(), meta=ToolCallMeta(user="bob")))
    assert result.success
    assert (runs[0].run.meta.user, runs[0].run.meta.parent_run_id) == ("bob", None)


class Full(MemoryStore):
    """A store without space for the ends of runs."""

    def append(self, event: NewEvent, /) -> None:
        if event.kind == "run_ended":
            raise StoreError("the disk is full")
        super().append(event)


def test_a_run_whose_end_cannot_be_recorded_still_returns_its_answer(caplog: pytest.LogCaptureFixture) -> None:
    result = World(scripted_agent(answer=FOUND), store=Full()).one(search())
    assert result.success
    assert [record.getMessage() for record in caplog.records] == [
        "the end of a run of orchestrator.researcher is not recorded"
    ]


class Denies:
    """A hook that lets nothing run."""

    def pre_tool_use(self, _call: object, /) -> Denial:
        return Denial(reason="not now")

    def post_tool_use(self, _call: object, _result: object, /) -> None:
        return None


def test_a_call_that_is_denied_starts_no_run() -> None:
    async def run_agent(_run: AgentRun) -> RunOutcome:
        raise AssertionError("it ran")

    world = World(run_agent, hooks=[Denies()])
    run = world.start()
    assert code_of(world.one(sub(), run=run)) == "hook_denied"
    assert world.events(run.meta.run_id, "agent_run_started") == []


@pytest.mark.parametrize(
    "answer",
    [
        '{"answer": "yes", "sources": []}',
        ' \n{"answer": "yes", "sources": []}\n',
        'Here it is:\n```json\n{"answer": "yes",\n "sources": []}\n```\nDone.',
    ],
    ids=["plain", "space", "block"],
)
def test_an_answer_in_text_is_read_as_json_where_the_result_is_none(answer: str) -> None:
    result = World(scripted_agent(answer=answer)).one(search())
    assert result.payload == b'{"answer":"yes","sources":[]}'
    assert value_of(result).answer == "yes"
    assert "run_link" in result.metadata


TWO_BLOCKS = 'Either\n```\n{"answer": "yes", "sources": []}\n```\nor\n```\n{}\n```'


@pytest.mark.parametrize("answer", ["yes", '{"answer": 1, "sources": []}', TWO_BLOCKS, "\ud800", ""])
def test_an_answer_in_text_that_does_not_fit_is_a_malformed_result(answer: str) -> None:
    assert code_of(World(scripted_agent(answer=answer)).one(search())) == "malformed_result"


def test_text_without_a_block_of_code_is_kept() -> None:
    assert json_in('"```"') == b'"```"'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('```json\n{"a": 1}\n```', b'{"a": 1}'),
        ("Here:\n```\n1\n```\nand that is all", b"1"),
        ("```\n1\n```\n```\n2\n```", b"```\n1\n```\n```\n2\n```"),
        ("```json\n1", b"```json\n1"),
        (" 1 ", b"1"),
    ],
)
def test_the_only_block_of_code_is_the_answer(text: str, expected: bytes) -> None:
    assert json_in(text) == expected


@pytest.mark.parametrize("part", ["x```\n", "```\n", "`", "```a", "\n```"])
def test_reading_an_answer_takes_time_in_proportion_to_its_length(part: str) -> None:
    assert_linear(lambda size: partial(json_in, part * (size // len(part))), 200_000)
