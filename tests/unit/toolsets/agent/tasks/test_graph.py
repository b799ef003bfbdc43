"""The task graph: changes persist, despite concurrent writers and killed processes."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from contextvars import copy_context
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from threading import Barrier

import pytest

from tests.programs.forks import in_child
from toolgen.runtime.base.effects import CallEnded, ThreadCall
from toolgen.runtime.base.errors import CallFailed
from toolgen.toolsets.agent.tasks.task import Step, StepState, TaskFileError, TaskGraph, TaskState

SCRIPT = Path(__file__).with_name("claiming_agents.py")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])}
START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

STEPS = [Step(id="a", title="first"), Step(id="b", title="second", instructions="Ask.\nThen say ✓.", needs=("a",))]


def graph_at(path: Path | None = None) -> TaskGraph:
    """Return a graph whose clock advances by a second per change, and whose tasks are t0, t1, and so on."""
    numbers, seconds = count(), count()
    return TaskGraph(path, clock=lambda: START + timedelta(seconds=next(seconds)), new_id=lambda: f"t{next(numbers)}")


def test_changes_persist_when_the_file_is_reopened(tmp_path: Path) -> None:
    path = tmp_path / "tasks 100%.db"
    with closing(graph_at(path)) as graph:
        graph.create("a task", STEPS)
        graph.claim("t0", "a", "ann")
        graph.report("t0", "a", "ann", StepState.DONE, "done: ✓")
        written = graph.replan("t0", title="a task, renamed")
    with closing(TaskGraph(path)) as again:
        assert again.get("t0") == written
        assert again.get("t0").step("b").state is StepState.READY
        assert again.get("t0").updated == START + timedelta(seconds=3)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_change_for_a_call_that_has_ended_is_rolled_back() -> None:
    call = ThreadCall(is_guarded=True)

    def new_id() -> str:
        call.end()
        return "t0"

    with closing(TaskGraph(new_id=new_id)) as graph:
        with pytest.raises(CallEnded):
            copy_context().run(call.run, lambda: graph.create("a task", STEPS))
        assert graph.tasks() == []
        graph.create("a task", STEPS)


def test_a_refused_change_has_no_effect(tmp_path: Path) -> None:
    with closing(graph_at(tmp_path / "tasks.db")) as graph:
        before = graph.create("a task", STEPS)
        with pytest.raises(CallFailed, match="not ready"):
            graph.claim("t0", "b", "ann")
        with pytest.raises(CallFailed, match="cycle"):
            graph.create("another", [Step(id="x", title="x", needs=("x",))])
        assert graph.tasks() == [before]
        assert graph.claim("t0", "a", "ann").step("a").claimed_by == "ann"


def test_an_unknown_task_is_reported() -> None:
    with closing(graph_at()) as graph, pytest.raises(CallFailed) as caught:
        graph.claim("t9", "a", "ann")
    assert (caught.value.code, caught.value.message) == ("unknown_task", "there is no task with that id")


def test_tasks_are_sorted_by_their_last_change() -> None:
    with closing(graph_at()) as graph:
        for _ in range(3):
            graph.create("a task", STEPS)
        graph.claim("t0", "a", "ann")
        graph.close_task("t1", TaskState.CANCELLED)
        assert [task.id for task in graph.tasks()] == ["t1", "t0", "t2"]
        assert [task.id for task in graph.tasks(limit=2)] == ["t1", "t0"]
        assert [task.id for task in graph.tasks(TaskState.OPEN)] == ["t0", "t2"]
        assert [task.id for task in graph.tasks(TaskState.CANCELLED)] == ["t1"]


def test_of_tasks_changed_at_the_same_time_the_newest_is_first() -> None:
    with closing(TaskGraph(clock=lambda: START)) as graph:
        made = [graph.create(str(number), STEPS).id for number in range(3)]
        assert [task.id for task in graph.tasks()] == made[::-1]


def test_steps_of_an_agent_are_released_in_all_open_tasks() -> None:
    with closing(graph_at()) as graph:
        for _ in range(3):
            graph.create("a task", [Step(id="a", title="a"), Step(id="b", title="b")])
        for task_id in ("t0", "t1", "t2"):
            graph.claim(task_id, "a", "ann")
        graph.claim("t1", "b", "ben")
        graph.report("t0", "a", "ann", StepState.DONE)
        closed = graph.close_task("t2", TaskState.FAILED)
        graph.release("ann")
        assert graph.get("t0").step("a").state is StepState.DONE
        assert graph.get("t1").step("a").state is StepState.READY
        assert graph.get("t1").step("b").claimed_by == "ben"
        assert graph.get("t2") == closed


@pytest.mark.parametrize("is_other", [True, False], ids=["of something else", "no database"])
def test_a_foreign_file_is_not_changed(tmp_path: Path, is_other: bool) -> None:
    path = tmp_path / "other.db"
    if is_other:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE notes (text)")
    else:
        path.write_text("not a database, and longer than the header of one would be " * 10)
    content = path.read_bytes()
    with pytest.raises(TaskFileError, match="not a task graph of toolgen" if is_other else "not a database"):
        TaskGraph(path)
    assert path.read_bytes()[100:] == content[100:], "except for SQLite's header"


def test_a_view_in_place_of_the_tasks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tasks.db"
    TaskGraph(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE tasks RENAME TO old")
        connection.execute("CREATE VIEW tasks AS SELECT * FROM old")
    with pytest.raises(TaskFileError, match="`tasks` of the task graph is computed"):
        TaskGraph(path)


def test_an_unreadable_file_or_another_version_is_reported(tmp_path: Path) -> None:
    with pytest.raises(TaskFileError, match="cannot be opened: No such file or directory"):
        TaskGraph(tmp_path / "missing" / "tasks.db")
    path = tmp_path / "tasks.db"
    TaskGraph(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(TaskFileError, match="the task graph has version 7, and this toolgen reads version 1"):
        TaskGraph(path)


@pytest.mark.parametrize("shared", [True, False], ids=["one graph", "a graph each"])
def test_only_one_of_many_threads_can_claim_a_step(tmp_path: Path, shared: bool) -> None:
    agents, rounds = 8, 10
    path = tmp_path / "tasks.db"
    graph = TaskGraph(path)
    graphs = [graph] * agents if shared else [TaskGraph(path) for _ in range(agents)]
    task_id = graph.create("a race", [Step(id=f"s{number}", title="s") for number in range(rounds)]).id
    barrier = Barrier(agents, timeout=20)  # a failed thread does not block the others

    def claims(agent: int) -> list[str]:
        codes = []
        for number in range(rounds):
            barrier.wait()
            try:
                graphs[agent].claim(task_id, f"s{number}", f"agent {agent}")
                codes.append("claimed")
            except CallFailed as failure:
                codes.append(failure.code)
        return codes

    with ThreadPoolExecutor(agents) as pool:
        outcomes = list(pool.map(claims, range(agents)))
    for number in range(rounds):
        assert Counter(codes[number] for codes in outcomes) == {"claimed": 1, "step_claimed": agents - 1}
        holder = graph.get(task_id).step(f"s{number}").claimed_by
        assert [f"agent {agent}" for agent, codes in enumerate(outcomes) if codes[number] == "claimed"] == [holder]
    for each in dict.fromkeys(graphs):
        each.close()


def test_two_concurrent_processes_claim_different_steps(tmp_path: Path) -> None:
    path, number = tmp_path / "tasks.db", 60
    with closing(graph_at(path)) as graph:
        graph.create("a race", [Step(id=f"s{place}", title="s") for place in range(number)])
        racers = [
            subprocess.Popen(
                [sys.executable, SCRIPT, path, agent],
                env=ENVIRONMENT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for agent in ("ann", "ben")
        ]
        for racer in racers:
            assert racer.stdout is not None
            assert racer.stdout.readline() == "ready\n"
        for racer in racers:
            assert racer.stdin is not None
            racer.stdin.write("go\n")
            racer.stdin.flush()
        got = [racer.communicate()[0].split() for racer in racers]
        assert [racer.returncode for racer in racers] == [0, 0]
        assert sorted(got[0] + got[1]) == sorted(f"s{place}" for place in range(number))
        holders = {step.id: step.claimed_by for step in graph.get("t0").steps}
        assert {step_id: "ann" if step_id in got[0] else "ben" for step_id in holders} == holders


@pytest.mark.parametrize("claims", [1, 5, 17])
def test_confirmed_claims_of_a_killed_agent_persist(tmp_path: Path, claims: int) -> None:
    path, number = tmp_path / "tasks.db", 40
    with closing(graph_at(path)) as graph:
        graph.create("a task", [Step(id=f"s{place}", title="s") for place in range(number)])
    with subprocess.Popen(
        [sys.executable, SCRIPT, path, "ann"],
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        assert agent.stdout.readline() == "ready\n"
        agent.stdin.write("go\n")
        agent.stdin.flush()
        confirmed = [agent.stdout.readline().strip() for _ in range(claims)]
        agent.kill()
        confirmed += agent.stdout.read().split()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with closing(TaskGraph(path)) as graph:
        held = [step.id for step in graph.get("t0").held_by("ann")]
        assert set(confirmed) <= set(held)
        assert len(held) <= len(confirmed) + 1, "one more may be written and not yet confirmed"
        graph.release("ann")
        assert len([step for step in graph.get("t0").steps if step.state is StepState.READY]) == number


@pytest.mark.parametrize("name", ["tasks.db", None])
def test_a_child_changes_the_same_file_or_tables_of_its_own(tmp_path: Path, name: str | None) -> None:
    graph = graph_at(None if name is None else tmp_path / name)
    graph.create("of the parent", STEPS)

    def work() -> list[str]:
        graph.create("of the child", STEPS)
        return [task.title for task in graph.tasks()]

    assert in_child(work) == ["of the child", "of the parent"]
    assert [task.title for task in graph.tasks()] == ["of the child", "of the parent"][not name :]
    graph.close()


def test_a_child_that_cannot_open_the_file_says_so(tmp_path: Path) -> None:
    path = tmp_path / "tasks.db"
    with closing(graph_at(path)) as graph:

        def look() -> str:
            path.write_bytes(b"no database" * 1000)
            with pytest.raises(CallFailed) as failed:
                graph.tasks()
            return failed.value.code

        assert in_child(look) == "task_graph_unavailable"
