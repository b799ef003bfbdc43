"""Answers to runs: one to a question counts, whoever else answers is told who was first, and all see it at once."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.engine.app import read, request, rows, write
from tests.unit.engine.engines import QUICK, Engines, until
from tests.unit.engine.test_steering import command
from toolgen.engine import body as engine_body
from toolgen.engine.body import Retries
from toolgen.engine.dbos import DbosEngine
from toolgen.engine.protocol import AlreadyAnswered, ApprovalAnswer, NotAsked, RunCancelled
from toolgen.engine.signals import NotSignalled
from toolgen.runtime import load
from toolgen.runtime.policy.approvers import Approver
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.engine.engines import Running
    from toolgen.runtime.policy.permission import PermissionRequest

ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)
DENY = PermissionDecision(decision=Decision.DENY, reason="not today")


def test_of_many_answers_at_once_one_counts_and_the_others_are_told_which(engines: Engines) -> None:
    async def body(running: Running) -> None:
        for number in range(5):
            run_id = await running.engine.start(request([write(f"f{number}")]))
            (asked,) = await running.questions(run_id)
            people = {f"p{each}": ALLOW if (each + number) % 2 else DENY for each in range(6)}
            given = await asyncio.gather(
                *(running.engine.decide(run_id, asked.id, each, by=by) for by, each in people.items()),
                return_exceptions=True,
            )
            (counts,) = [each for each in given if isinstance(each, ApprovalAnswer)]
            told = [each for each in given if isinstance(each, AlreadyAnswered)]
            assert len(told) == 5
            assert {each.answer for each in told} == {counts}
            assert counts.by in str(told[0])
            await running.engine.result(run_id, 300)
            assert (f"f{number}" in running.marks()) == (people[counts.by] is ALLOW)
            assert await running.engine.answers(run_id) == [counts]
            with pytest.raises(AlreadyAnswered, match=f"by {counts.by}, at 20"):
                await running.engine.decide(run_id, asked.id, ALLOW, by="late")

    engines.run(body)


def test_an_answer_that_names_no_question_of_the_run_is_refused(engines: Engines) -> None:
    async def body(running: Running) -> None:
        first = await running.engine.start(request([write("a")]))
        second = await running.engine.start(request([write("a")]))
        (asked,), (other,) = await running.questions(first), await running.questions(second)
        assert asked.id != other.id
        for wrong in (other.id, asked.call, "q_0", ""):
            with pytest.raises(NotAsked):
                await running.engine.decide(first, wrong, ALLOW, by="ann")
        assert await running.engine.answers(first) == []
        assert [each.id for each in await running.engine.approvals(first)] == [asked.id]
        assert running.marks() == []

    engines.run(body)


@pytest.mark.parametrize("is_the_same", [True, False])
def test_who_allowed_a_call_once_allowed_its_attempts_as_long_as_they_are_what_they_saw(
    engines: Engines, monkeypatch: pytest.MonkeyPatch, *, is_the_same: bool
) -> None:
    async def body(running: Running) -> None:
        engine, runtime = running.engine, running.host.runtime
        ask = runtime.permission_request

        async def ask_about_more(*args: Any, **given: Any) -> PermissionRequest | None:
            question = await ask(*args, **given)
            return None if question is None else replace(question, reasons=(*question.reasons, "another one"))

        run_id = await engine.start(request([write("down")]))
        (asked,) = await running.questions(run_id)
        await engine.decide(run_id, asked.id, ALLOW, by="ann")
        if not is_the_same:
            await until(running.marks)
            monkeypatch.setattr(runtime, "permission_request", ask_about_more)
            (again,) = await until(lambda: engine.approvals(run_id), bool, 60)
            assert again.id != asked.id
            assert running.marks() == ["down"]
            await engine.cancel(run_id)
            return
        await engine.result(run_id, 60)
        assert len(running.marks()) == QUICK.attempts
        assert len({*running.marks("key")}) == len(await engine.answers(run_id)) == 1

    tags = [*load("generated").entries["code.write_file"].tags, "idempotent"]
    retries = QUICK if is_the_same else Retries(first=1.0)
    engines.run(body, changed={"code.write_file": {"tags": tags}}, retries=retries)


@pytest.mark.parametrize("ending", ["cancelled", "its time was up"])
def test_a_run_that_was_cancelled_asks_nothing_and_takes_no_answer(engines: Engines, ending: str) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        run_id = await engine.start(request([write("a")], timeout=None if ending == "cancelled" else 1.0))
        (asked,) = await running.questions(run_id)
        if ending == "cancelled":
            await engine.cancel(run_id)
        with pytest.raises(RunCancelled):
            await engine.result(run_id, 300)
        assert await engine.approvals(run_id) == []
        with pytest.raises(NotAsked):
            await engine.decide(run_id, asked.id, ALLOW, by="ann")
        with pytest.raises(NotSignalled):
            await engine.signal(run_id, "go", by="ann")
        await asyncio.sleep(engines.tick)
        await engine.resume(run_id)
        (again,) = await running.questions(run_id)
        assert (again.id, running.marks()) == (asked.id, [])
        await engine.cancel(run_id)

    engines.run(body)


def test_a_run_takes_no_answer_while_it_is_cancelled(tmp_path: Path) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        run_id = await engine.start(request([write("a")]))
        (asked,) = await running.questions(run_id)
        cancelling = asyncio.create_task(engine.cancel(run_id))
        await asyncio.sleep(0)
        assert await engine.approvals(run_id) == []
        with pytest.raises(NotAsked):
            await engine.decide(run_id, asked.id, ALLOW, by="ann")
        with pytest.raises(NotSignalled, match="it is being cancelled"):
            await engine.signal(run_id, "go", by="ann")
        await cancelling

    Engines("local", "", tmp_path).run(body)


LONG = "x" * 10_001
HALF = "\ud800"


@pytest.mark.parametrize(
    ("reason", "by"),
    [
        *(("", Approver(text)) for text in ("a\0b", HALF, LONG)),
        *(("", Approver("ann", (text,))) for text in ("a\0b", HALF, LONG)),
        *(("", Approver("ann", (), text)) for text in ("a\0b", HALF, LONG)),
        *((text, Approver("ann")) for text in ("a\0b", HALF, LONG)),
        ("", Approver("ann", ("x",) * 1_001)),
    ],
    ids=itertools.count(),
)
@pytest.mark.variants(8)
def test_an_answer_with_a_text_that_cannot_be_kept_is_refused_and_its_question_stays_open(
    engines: Engines, reason: str, by: Approver
) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([write("a")]))
        (asked,) = await running.questions(run_id)
        for decision in (Decision.ALLOW_ONCE, Decision.DENY):
            with pytest.raises(ValueError, match=r"NUL|surrogate|there may be"):
                await running.engine.decide(
                    run_id, asked.id, PermissionDecision(decision=decision, reason=reason), by=by
                )
        assert await running.engine.answers(run_id) == []
        await running.engine.decide(run_id, asked.id, ALLOW, by="ann")
        await running.engine.result(run_id, 300)
        assert running.marks() == ["a"]

    engines.run(body)


def test_when_the_time_is_up_that_is_the_answer(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_body, "ANSWER_TIMEOUT", 0.5)

    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([write("a")]))
        end = await running.engine.result(run_id, 300)
        assert "nobody answered in time" in end.messages[-1].content
        (answer,) = await running.engine.answers(run_id)
        assert (answer.by, answer.decision) == ("", Decision.DENY)
        with pytest.raises(AlreadyAnswered, match="nobody"):
            await running.engine.decide(run_id, answer.question, ALLOW, by="ann")
        assert running.marks() == []

    engines.run(body)


def test_an_answer_is_seen_before_a_worker_has_read_it(durable: Engines) -> None:
    async def ask(running: Running) -> None:
        await running.engine.start(request([write("a")], run_id="r1"))
        await running.questions("r1")

    async def answer() -> None:  # no worker runs
        engine = DbosEngine(durable.url)
        (asked,) = await engine.approvals("r1")
        assert (await engine.info("r1")).state == "waiting"
        given = await engine.decide("r1", asked.id, DENY, by="ann")
        assert await engine.approvals("r1") == []
        assert (await engine.info("r1")).state == "running"
        assert await engine.answers("r1") == [given]
        assert (given.by, given.tool, given.decision, given.reason) == ("ann", "code.write_file", "deny", "not today")
        await engine.close()

    durable.run(ask)
    asyncio.run(answer())

    async def finish(running: Running) -> None:
        assert "not today" in (await running.engine.result("r1", 300)).messages[-1].content
        assert running.marks() == []

    durable.run(finish)


def test_of_two_commands_at_once_one_answers_and_the_other_says_who_did(durable: Engines) -> None:
    async def body(running: Running) -> None:
        await running.engine.start(request([write("a")], run_id="r2"))
        (asked,) = await running.questions("r2")
        steps = [("runs", "approve", "r2", asked.id), ("runs", "deny", "r2", asked.id)]
        done = await asyncio.gather(*(asyncio.to_thread(command, durable, *step) for step in steps))
        (won,) = [step for step, (code, _) in zip(steps, done, strict=True) if code == 0]
        (told,) = [text for code, text in done if code != 0]
        (answer,) = await running.engine.answers("r2")
        assert answer.decision == ("allow_once" if won[1] == "approve" else "deny")
        assert f"was answered before: {answer}" in told
        assert answer.by
        code, again = await asyncio.to_thread(command, durable, "runs", "deny", "r2")
        assert code != 0
        assert f"was answered before: {answer}" in again
        _, shown = await asyncio.to_thread(command, durable, "runs", "show", "r2")
        assert f"answered {asked.id}: {answer}" in shown
        await running.engine.result("r2", 300)
        assert running.marks() == (["a"] if won[1] == "approve" else [])

    durable.run(body)


TURNS = st.lists(
    st.lists(st.tuples(st.sampled_from([write, write, read]), st.sampled_from(["a", "b"])), min_size=1, max_size=4),
    min_size=1,
    max_size=2,
)
STEPS = st.lists(
    st.tuples(st.sampled_from(["answer", "answer", "wrong", "again", "restart"]), st.integers(0, 3), st.booleans()),
    min_size=20,
    max_size=20,
)
"""What is done, to which of the questions, and whether it is allowed: all drawn before, as engines have threads."""


@pytest.mark.parametrize("kind", ["local", pytest.param("sqlite", marks=pytest.mark.long)])
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(turns=TURNS, steps=STEPS)
def test_in_any_order_exactly_the_calls_run_that_a_person_allowed(
    tmp_path_factory: pytest.TempPathFactory,
    kind: str,
    turns: list[list[tuple[object, str]]],
    steps: list[tuple[str, int, bool]],
) -> None:
    """Several calls of a turn ask; answers come in any order, to questions of others, again, and to another worker."""
    folder: Path = tmp_path_factory.mktemp("answers")
    engines = Engines(kind, str(folder / "runs.sqlite"), folder)
    allowed, answered = Counter[str](), dict[str, PermissionDecision]()
    made = [[make(path) for make, path in turn] for turn in turns]  # type: ignore[operator]  # hypothesis gives objects

    async def go_on(running: Running) -> None:
        await running.engine.start(request(*made, run_id="r1"))  # once
        while (await running.engine.info("r1")).state != "ended":
            asked = await running.engine.approvals("r1")
            if not asked:
                await asyncio.sleep(0.01)
                continue
            step, which, is_allowed = steps.pop() if steps else ("answer", 0, True)
            if step == "restart" and kind != "local":
                return
            if step == "wrong":
                for wrong in (f"{asked[0].id}x", asked[0].call, "q_0"):
                    with pytest.raises(NotAsked):
                        await running.engine.decide("r1", wrong, ALLOW, by="ann")
            elif step == "again" and answered:
                with pytest.raises(AlreadyAnswered):
                    await running.engine.decide("r1", sorted(answered)[which % len(answered)], ALLOW, by="ann")
            else:
                question = asked[which % len(asked)]
                decision = answered[question.id] = ALLOW if is_allowed else DENY
                allowed[str(question.question["arguments"])] += decision is ALLOW
                await running.engine.decide("r1", question.id, decision, by="ann")

    ended = False

    async def is_over(running: Running) -> None:
        nonlocal ended
        await go_on(running)
        ended = (await running.engine.info("r1")).state == "ended"

    while not ended:
        engines.run(is_over)

    written = Counter(row[0] for row in rows(folder, "SELECT path FROM effects"))
    expected = Counter[str]()
    for arguments, count in allowed.items():
        expected[json.loads(arguments)["path"]] += count
    assert written == +expected
    writes = sum(name == "code.write_file" for turn in made for name, _ in turn)
    denied = sum(each is DENY for each in answered.values())
    assert writes == len(answered) or (denied and len(answered) < writes), "after a denial a turn may end"
