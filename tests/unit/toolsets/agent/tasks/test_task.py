"""A task and its operations, without a file."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed
from toolgen.toolsets.agent.tasks.task import Step, StepState, Task, TaskState

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def steps(**needs: str) -> list[Step]:
    """Steps by id, each with the ids that it needs in one text."""
    return [Step(id=step_id, title=f"do {step_id}", needs=tuple(needed.split())) for step_id, needed in needs.items()]


def task(**needs: str) -> Task:
    return Task.planned("t1", "a task", steps(**needs), NOW)


def states(found: Task) -> dict[str, str]:
    return {step.id: step.state.value for step in found.steps}


def done(found: Task, *step_ids: str) -> Task:
    for step_id in step_ids:
        claimed = found.claimed(step_id, "ann")
        found = claimed.reported(step_id, "ann", StepState.DONE, f"{step_id} went well")
    return found


def refusal(change: Callable[[], Any]) -> tuple[str, str, str]:
    """Return code, message and hint of a change that must be refused."""
    with pytest.raises(CallFailed) as caught:
        change()
    assert caught.value.kind is FailureKind.DOMAIN_REJECTION
    return caught.value.code, caught.value.message, caught.value.hint


def test_a_step_is_ready_after_all_steps_that_it_needs_are_done() -> None:
    diamond = task(a="", b="a", c="a", d="b c")
    assert states(diamond) == {"a": "ready", "b": "pending", "c": "pending", "d": "pending"}
    assert states(done(diamond, "a")) == {"a": "done", "b": "ready", "c": "ready", "d": "pending"}
    assert states(done(diamond, "a", "b")) == {"a": "done", "b": "done", "c": "ready", "d": "pending"}
    assert states(done(diamond, "a", "b", "c")) == {"a": "done", "b": "done", "c": "done", "d": "ready"}


def test_failed_and_claimed_steps_are_not_done() -> None:
    claimed = task(a="", b="a").claimed("a", "ann")
    assert states(claimed) == {"a": "claimed", "b": "pending"}
    assert states(claimed.reported("a", "ann", StepState.FAILED, None)) == {"a": "failed", "b": "pending"}


@pytest.mark.parametrize(
    ("plan", "refused"),
    [
        (
            steps(a="", b="c d", c=""),
            (
                "unknown_step",
                "step 'b' needs 'd', which the task does not have",
                "use ids of steps of this task",
            ),
        ),
        (
            [*steps(a=""), *steps(a="")],
            ("duplicate_step", "two steps have the id 'a'", "give each step a unique id"),
        ),
        (
            steps(a="b", b="c", c="a"),
            (
                "cyclic_steps",
                "steps need each other in a cycle: 'a' needs 'b' needs 'c' needs 'a'",
                "remove one of these needs",
            ),
        ),
        (
            steps(a="a"),
            ("cyclic_steps", "steps need each other in a cycle: 'a' needs 'a'", "remove one of these needs"),
        ),
    ],
)
def test_an_impossible_plan_is_refused(plan: list[Step], refused: tuple[str, str, str]) -> None:
    assert refusal(lambda: Task.planned("t1", "a task", plan, NOW)) == refused
    assert refusal(lambda: task(z="").replanned(title=None, steps=plan)) == refused


def test_a_new_plan_cannot_need_removed_steps() -> None:
    code, message, _hint = refusal(lambda: task(a="", b="").replanned(title=None, steps=steps(c="b")))
    assert (code, message) == ("unknown_step", "step 'c' needs 'b', which the task does not have")


def test_a_long_cycle_is_shortened_in_the_message() -> None:
    ring = {f"s{number}": f"s{(number + 1) % 50}" for number in range(50)}
    _code, message, _hint = refusal(lambda: task(**ring))
    assert message.endswith("46 more")
    assert len(message) < 150


def test_only_one_agent_can_claim_a_step_and_only_if_it_is_ready() -> None:
    claimed = task(a="", b="a c", c="").claimed("a", "ann")
    assert claimed.step("a").claimed_by == "ann"
    assert refusal(lambda: claimed.claimed("a", "ben"))[:2] == (
        "step_claimed",
        "step 'a' is claimed by another agent",
    )
    assert refusal(lambda: claimed.claimed("a", "ann")) == (
        "step_claimed",
        "you have claimed step 'a' already",
        "work on it, and report with task_update_step",
    )
    assert refusal(lambda: claimed.claimed("b", "ann")) == (
        "step_not_ready",
        "step 'b' is not ready: it waits for 'a', 'c'",
        "find ready steps with task_query_steps",
    )
    assert refusal(lambda: done(task(a=""), "a").claimed("a", "ben"))[:2] == (
        "step_not_ready",
        "step 'a' is done already",
    )
    assert refusal(lambda: claimed.claimed("z", "ann")) == (
        "unknown_step",
        "the task has no step 'z'",
        "find its steps with task_query_steps",
    )


def test_only_the_claimer_can_update_a_step() -> None:
    claimed = task(a="", b="").claimed("a", "ann")
    reported = claimed.reported("a", "ann", StepState.CLAIMED, "half of it")
    assert (reported.step("a").state, reported.step("a").note) == (StepState.CLAIMED, "half of it")
    assert refusal(lambda: claimed.reported("a", "ben", StepState.DONE, None)) == (
        "step_not_yours",
        "step 'a' is not yours to report on",
        "claim a step first, with task_claim_step",
    )
    assert refusal(lambda: claimed.reported("b", "ann", StepState.DONE, None))[0] == "step_not_yours"
    ended = reported.reported("a", "ann", StepState.DONE, None)
    assert ended.step("a").note == "half of it", "without a note the last one is kept"
    assert refusal(lambda: ended.reported("a", "ann", StepState.FAILED, None))[:2] == (
        "step_not_claimed",
        "step 'a' is done already",
    )
    with pytest.raises(ValueError, match="a step cannot be reported as pending"):
        claimed.reported("a", "ann", StepState.PENDING, None)


def test_a_released_step_can_be_claimed_by_others() -> None:
    claimed = task(a="", b="").claimed("a", "ann").claimed("b", "ann")
    back = claimed.reported("a", "ann", StepState.READY, "I have no key")
    assert (back.step("a").state, back.step("a").claimed_by) == (StepState.READY, None)
    assert back.claimed("a", "ben").step("a").note == "I have no key"
    assert states(claimed.released("ann")) == {"a": "ready", "b": "ready"}
    assert states(claimed.released("ben")) == {"a": "claimed", "b": "claimed"}


def test_a_claimed_step_includes_the_results_of_the_steps_it_needs() -> None:
    found = done(task(a="", b="", c="a b"), "a", "b").claimed("c", "ann")
    assert found.inputs(found.step("c")) == [("a", "a went well"), ("b", "b went well")]
    assert found.inputs(found.step("a")) == []


def test_a_new_plan_keeps_claimed_and_done_steps() -> None:
    begun = done(task(a="", b="a", c="a", d="b c"), "a").claimed("b", "ann")
    replanned = begun.replanned(title="another", steps=steps(x="b", c="a x"))
    assert replanned.title == "another"
    assert states(replanned) == {"a": "done", "b": "claimed", "x": "pending", "c": "pending"}
    assert replanned.step("b").claimed_by == "ann"
    assert states(begun.replanned(title=None, steps=[])) == {"a": "done", "b": "claimed"}
    same = begun.replanned(title=None, steps=steps(a="", b="a", e=""))
    assert states(same) == {"a": "done", "b": "claimed", "e": "ready"}, "unchanged steps are accepted"
    assert states(begun.replanned(title="only this", steps=None)) == states(begun)


def test_a_new_plan_cannot_change_claimed_or_done_steps() -> None:
    begun = done(task(a="", b="a"), "a").claimed("b", "ann")
    assert refusal(lambda: begun.replanned(title=None, steps=steps(b=""))) == (
        "step_fixed",
        "step 'b' is claimed, and can no longer be changed",
        "omit it, and use other ids for new steps",
    )
    assert refusal(lambda: begun.replanned(title=None, steps=steps(a="z")))[1].startswith("step 'a' is done")
    assert refusal(lambda: begun.replanned(title=None, steps=[*steps(c=""), *steps(c="")]))[0] == "duplicate_step"


def test_a_failed_step_in_a_new_plan_is_retried() -> None:
    failed = task(a="", b="a").claimed("a", "ann").reported("a", "ann", StepState.FAILED, "no luck")
    again = failed.replanned(title=None, steps=steps(a="", b="a"))
    assert (again.step("a").state, again.step("a").claimed_by) == (StepState.READY, None)
    assert states(failed.replanned(title=None, steps=steps(b=""))) == {"b": "ready"}


def test_a_task_is_complete_when_all_its_steps_are_done() -> None:
    begun = done(task(a="", b="", c="b"), "a").claimed("b", "ann")
    assert refusal(lambda: begun.closed(TaskState.DONE, "well")) == (
        "open_steps",
        "not all steps are done: 'b' (claimed), 'c' (pending)",
        "complete them, or remove them with task_update; or close the task with task_fail",
    )
    closed = done(task(a=""), "a").closed(TaskState.DONE, "well")
    assert (closed.state, closed.outcome) == (TaskState.DONE, "well")


@pytest.mark.parametrize("state", [TaskState.FAILED, TaskState.CANCELLED])
def test_a_closed_task_cannot_be_changed(state: TaskState) -> None:
    closed = task(a="", b="").claimed("a", "ann").closed(state, "no use")
    assert states(closed) == {"a": "claimed", "b": "pending"}, "nothing in it is ready"
    changes: list[Callable[[], Task]] = [
        lambda: closed.claimed("b", "ann"),
        lambda: closed.reported("a", "ann", StepState.DONE, None),
        lambda: closed.released("ann"),
        lambda: closed.replanned(title="x", steps=None),
        lambda: closed.closed(TaskState.CANCELLED, ""),
    ]
    for change in changes:
        assert refusal(change) == (
            "task_closed",
            f"the task is closed: it is {state}",
            "create another task, if there is more to do",
        )


def test_long_and_unusual_ids_stay_on_one_line() -> None:
    _code, message, _hint = refusal(lambda: task(a="").claimed("x\ny" * 100, "ann"))
    assert "\n" not in message
    assert len(message) < 120
