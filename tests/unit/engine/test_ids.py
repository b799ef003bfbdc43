"""Ids that are joined into one text: no two pairs give the same, whatever separators are in them."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.unit.engine.app import request, write
from toolgen.agents import Message
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.engine import RunRequest
from toolgen.engine.dbos.database import below
from toolgen.engine.dbos.flow import allowed_topic_of, once_of, once_of_key, signal_topic, topic_of
from toolgen.engine.dbos.retention import _top
from toolgen.engine.host import _keys, idempotency_key
from toolgen.engine.schedules import Schedule
from toolgen.runtime.policy.grants import digest_of
from toolgen.runtime.policy.rate_limits import digest_of_attempt, redis
from toolgen.runtime.runs.children import child_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.engine.engines import Engines, Running

RUNS = st.from_regex(r"[a0][a0.:-]{0,5}", fullmatch=True)
"""Ids of runs, of characters that ids are joined with."""

TEXTS = st.text(st.sampled_from("a0:. ~{}|-"), max_size=6)
QUESTIONS = st.from_regex(r"q_[a0]{1,3}", fullmatch=True)
NUMBERS = st.integers(0, 20)
NAMES = st.from_regex(r"[a0][a0.-]{0,3}", fullmatch=True)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def call_key(run_id: str, call_id: str) -> str:
    """Return the idempotency key of the only call of a run; ids that are not plain have keys by their place."""
    (key,) = _keys([call_id], 0, set())
    return idempotency_key(run_id, key)


def message_id(once: str, run_id: str) -> str:
    """Return what DBOS makes of a key and the run that a message is for."""
    return f"{once}::{run_id}"


def scheduled(name: str, token: str) -> str:
    schedule = Schedule(name=name, request=request([]), every=1.0)
    return schedule.request_at(0.0, token).run_id


JOINED: dict[str, tuple[Callable[..., Any], st.SearchStrategy[tuple[Any, ...]]]] = {
    "idempotency keys": (idempotency_key, st.tuples(RUNS, NAMES)),
    "runs of calls": (
        lambda run, key, number: child_id(ToolCallMeta(run_id=run, idempotency_key=idempotency_key(run, key)), number),
        st.tuples(RUNS, NAMES, NUMBERS),
    ),
    "runs of schedules": (scheduled, st.tuples(NAMES, NAMES)),
    "answers": (lambda run, question: message_id(once_of(run, question), run), st.tuples(RUNS, QUESTIONS)),
    "allowed": (
        lambda run, question, place: message_id(f"{once_of(run, question)} {place}", run),
        st.tuples(RUNS, QUESTIONS, NUMBERS),
    ),
    "signals": (lambda key, run: message_id(once_of_key(key), run), st.tuples(TEXTS, RUNS)),
    "topics of notes": (allowed_topic_of, st.tuples(QUESTIONS, NUMBERS)),
    "limits in Redis": (lambda *of: redis._keys(of[0], of[1], NOW, of[2]), st.tuples(TEXTS, TEXTS, TEXTS)),
    "limits in files and Postgres": (digest_of_attempt, st.tuples(TEXTS, TEXTS)),
    "calls in files and Postgres": (digest_of_attempt, st.tuples(TEXTS, TEXTS, TEXTS)),
    "grants": (
        lambda ident, what, value: digest_of((ident, ((what, value),))),
        st.tuples(TEXTS, TEXTS, TEXTS),
    ),
}


@pytest.mark.parametrize("what", JOINED)
@given(data=st.data())
def test_different_ids_never_give_one_text(what: str, data: st.DataObject) -> None:
    join, parts = JOINED[what]
    first, second = data.draw(parts), data.draw(parts)
    assume(first != second)
    assert join(*first) != join(*second)


@given(first=st.tuples(RUNS, TEXTS), second=st.tuples(RUNS, TEXTS))
def test_calls_of_different_runs_never_have_one_idempotency_key(
    first: tuple[str, str], second: tuple[str, str]
) -> None:
    assume(first[0] != second[0])
    assert call_key(*first) != call_key(*second)


@given(run=RUNS, ids=st.lists(TEXTS, max_size=4))
def test_calls_of_a_turn_never_have_one_idempotency_key(run: str, ids: list[str]) -> None:
    keys = [idempotency_key(run, key) for key in _keys(ids, 0, set())]
    assert len(set(keys)) == len(ids)


@given(question=QUESTIONS, name=NAMES)
def test_topics_of_answers_and_of_signals_differ(question: str, name: str) -> None:
    assert len({topic_of(question), signal_topic(name), allowed_topic_of(question, 0)}) == 3


@given(run=RUNS, question=QUESTIONS, key=TEXTS)
def test_no_signal_is_taken_for_an_answer(run: str, question: str, key: str) -> None:
    assert once_of_key(key) not in (once_of(run, question), f"{once_of(run, question)} 0")


def single(run_id: str, call_id: str) -> RunRequest:
    """A run without a planner that makes one call."""
    call = ToolRequest(name="code.read_file", payload='{"path": "a"}', tool_call_id=call_id)
    return RunRequest(planner="", run_id=run_id, messages=(Message(role="assistant", calls=(call,)),))


def test_runs_and_calls_whose_ids_have_a_colon_have_keys_of_their_own(engines: Engines) -> None:
    async def body(running: Running) -> None:
        for run_id, call_id in (("nightly", "7:c1"), ("nightly:7", "c1")):
            await running.engine.result(await running.engine.start(single(run_id, call_id)), 300)
        assert running.marks("key") == ["nightly:call~0.0", "nightly:7:c1"]

    engines.run(body)


def test_a_signal_with_a_key_reaches_each_run_whatever_is_in_the_key(engines: Engines) -> None:
    async def body(running: Running) -> None:
        signals = [("b", "k::a"), ("a::b", "k"), ("a::b", "\U0001f600" * 1000)]
        for run_id in ("b", "a::b"):
            await running.engine.start(request([("code.read_file", {"path": "slow-60"})], run_id=run_id))
        for run_id, key in signals:
            await running.engine.signal(run_id, "go", key, by="ann", key=key)
        received = {run_id: (await running.engine.signals(run_id)).received for run_id in ("b", "a::b")}
        assert [(run_id, each.key) for run_id, sent in received.items() for each in sent] == signals

    engines.run(body)


LIKE_A_CHILD = "rel.0123456789abcdef"
"""An id of a program's own that looks like that of a run which a call of `rel` started."""


def test_a_run_whose_id_looks_like_that_of_a_child_is_none(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([write("a")], run_id=LIKE_A_CHILD))
        await running.questions(LIKE_A_CHILD)
        forked = await engine.fork(LIKE_A_CHILD, 1)
        for has_parent in (False, True):
            if has_parent:
                await engine.start(request([write("a")], run_id="rel"))
                await running.questions("rel")
                await engine.cancel("rel")
            assert (await engine.info(LIKE_A_CHILD)).state == "waiting"
            await engine.cancel(LIKE_A_CHILD)
            await asyncio.sleep(engines.tick)
            await engine.resume(LIKE_A_CHILD)
            await running.questions(LIKE_A_CHILD)
        await engine.cancel(forked)
        await engine.cancel(LIKE_A_CHILD)

    engines.run(body)


def test_a_run_whose_id_looks_like_that_of_a_child_is_deleted_alone(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([write("a")], run_id="rel"))
        await running.questions("rel")
        await engine.start(request(run_id=LIKE_A_CHILD))
        await engine.result(LIKE_A_CHILD, 300)
        await asyncio.sleep(engines.tick)
        assert (await engine.prune(0)).runs == 1
        assert [info.run_id for info in await engine.runs()] == ["rel"]
        await engine.cancel("rel")

    engines.run(body)


@given(st.dictionaries(RUNS, RUNS, max_size=6), RUNS)
def test_what_is_above_a_run_is_found_whatever_rows_say(parents: dict[str, str], run_id: str) -> None:
    seen = [run_id]
    while seen[-1] in parents and parents[seen[-1]] not in seen:
        seen.append(parents[seen[-1]])
    assert _top(run_id, parents) in seen
    assert run_id not in parents or set(below(seen[-1], parents)) <= parents.keys()
