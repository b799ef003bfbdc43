"""The body of a run under an engine: plan, make the calls as activities, resume, until there is an answer.

A body is executed again after a crash, and must then do the same: whatever could differ, such as the kind of a tool, is
the outcome of an activity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.agents.messages import message_as_json
from toolgen.agents.runs import sum_telemetry
from toolgen.contract.records import NOTHING
from toolgen.engine.protocol import Activity
from toolgen.runtime.runs.schedule import Group, Rest, batches, rest_after

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.engine.protocol import Flow
    from toolgen.engine.requests import Json, RunRequest

ANSWER_TIMEOUT: Final = 30 * 24 * 3600.0
"""How long a run waits for a person, in seconds. After that the call is denied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How often an engine makes a failed call, and when: after `first` seconds, then twice as long, at most `most`.

    Only calls that change nothing, or whose tool is tagged `idempotent`, and that were not answered.
    """

    attempts: int = 3
    first: float = 1.0
    most: float = 60.0

    def delay(self, attempt: int, retry_after: float | None) -> float:
        """Return the seconds before the next attempt, after `attempt` attempts."""
        doubled: float = self.first * 2 ** (attempt - 1)
        return min(self.most, max(doubled, retry_after or 0.0))


DEFAULT_RETRIES: Final = Retries()


class Body:
    """One execution of a run."""

    def __init__(self, flow: Flow, request: RunRequest, retries: Retries = DEFAULT_RETRIES) -> None:
        self._flow: Final = flow
        self._request: Final = request
        self._retries: Final = retries
        self._messages = [message_as_json(message) for message in request.messages]
        self._keys: Final[list[str]] = []
        self._telemetry: Mapping[str, Any] = NOTHING

    async def run(self) -> Json:
        """Execute the run; return its end, which `RunEnd.from_json` reads."""
        end = await self._loop()
        await self._flow.ended(end["stopped"])
        return end

    async def _loop(self) -> Json:
        for turn in range(self._request.max_turns):
            plan = await self._planned(turn)
            if "error" in plan:
                return self._end("failed", turn, reason=plan["error"])
            self._telemetry = sum_telemetry(self._telemetry, [plan.get("telemetry", NOTHING)])
            if "outcome" in plan:
                return self._end("completed", turn + 1, value=plan["outcome"])
            keys = _keys(plan)
            self._keys.extend(keys)
            outcomes = await self._turn(plan, keys)
            error = next((each["error"] for each in outcomes if "error" in each), "")
            if error:
                return self._end("failed", turn + 1, reason=error)
            self._telemetry = sum_telemetry(self._telemetry, [each.get("telemetry", NOTHING) for each in outcomes])
            changed = next((each["changed"] for each in outcomes if "changed" in each), "")
            if changed:
                return self._end("tool_changed", turn + 1, reason=changed)
            calls = plan["message"].get("calls", ())
            history = self._messages[:-1] if self._has_open_calls else self._messages
            self._messages = [*history, plan["message"], *map(_answer, calls, keys, outcomes)]
            results = None if self._request.planner else [each["result"] for each in outcomes]
            if any(each.get("aborted") for each in outcomes):
                return self._end("aborted", turn + 1, value=results)
            if results is not None:
                return self._end("completed", turn + 1, value=results)
        return self._end("max_turns", self._request.max_turns)

    @property
    def _has_open_calls(self) -> bool:
        """Whether the messages end with calls without answers: these are the plan of the first turn."""
        return bool(self._messages) and bool(self._messages[-1].get("calls"))

    async def _planned(self, turn: int) -> Json:
        """Plan the next step; a planner that fails is asked again, as calls are."""
        args = {"turn": turn, "messages": self._messages, "keys": self._keys}
        for attempt in range(1, self._retries.attempts):
            plan = await self._activity("plan", f"plan {turn}.{attempt}", args)
            if not plan.get("may_repeat"):
                return plan
            await self._flow.sleep(self._retries.delay(attempt, None))
        return await self._activity("plan", f"plan {turn}.{self._retries.attempts}", args)

    async def _turn(self, plan: Json, keys: Sequence[str]) -> list[Json]:
        """Make the calls of a turn by the rules of `Runtime.turn`; return their outcomes, in order."""
        calls = plan["message"].get("calls", ())
        outcomes: dict[int, Json] = {}
        rest = Rest.RUN
        inline = plan.get("inline", ())
        tools = plan["tools"]
        for batch in batches(Group(group) for group, _ in tools):
            args = [
                {"key": keys[at], "digest": tools[at][1], "inline": at in inline, "call": calls[at]}
                for at in batch.places
            ]
            if rest is Rest.SKIP or (rest is Rest.RUN_READONLY and batch.group is Group.WRITE):
                made = await self._flow.activities([Activity(name="skip", key=each["key"], args=each) for each in args])
            else:
                made = await self._made(args)
                after = rest_after(
                    batch.group,
                    has_failed=any("kind" in each for each in made),
                    was_denied=any(each.get("denied", False) for each in made),
                    may_continue=plan.get("may_continue", False),
                )
                rest = max(rest, after)
                if any("changed" in each or "error" in each for each in made):
                    rest = Rest.SKIP
            outcomes.update(zip(batch.places, made, strict=True))
        return [outcomes[place] for place in range(len(calls))]

    async def _made(self, calls: Sequence[Json]) -> list[Json]:
        """Make the calls of a batch together, after the answers that they need, and again where that may help."""
        outcomes: dict[int, Json] = {}
        waiting = dict(enumerate(calls))
        attempts = dict.fromkeys(waiting, 1)
        round_ = 0
        while waiting:
            round_ += 1
            made = await self._flow.activities(
                [
                    Activity(name="inline" if args["inline"] else "call", key=f"{args['key']} {round_}", args=args)
                    for args in waiting.values()
                ]
            )
            asked: dict[int, Json] = {}
            delay = 0.0
            for (place, args), outcome in zip([*waiting.items()], made, strict=True):
                if "asks" in outcome:
                    asked[place] = outcome["asks"]
                elif outcome.get("may_repeat") and attempts[place] < self._retries.attempts:
                    delay = max(delay, self._retries.delay(attempts[place], outcome.get("retry_after")))
                    attempts[place] += 1
                    waiting[place] = args
                else:
                    outcomes[place] = outcome
                    del waiting[place]
            if asked:
                await self._answered(waiting, asked)
            elif delay:
                await self._flow.sleep(delay)
        return [outcomes[place] for place in range(len(calls))]

    async def _answered(self, calls: dict[int, Json], asked: Mapping[int, Json]) -> None:
        """Wait until a person has answered what the calls at these places ask, and add the answers to them."""
        questions = {calls[place]["key"]: question for place, question in asked.items()}
        await self._flow.ask(questions)
        for place, question in asked.items():
            call = calls[place]
            answer = await self._flow.answer(call["key"], question, ANSWER_TIMEOUT)
            calls[place] = {**call, "answers": call.get("answers", 0) + 1, "answer": answer}
        await self._flow.ask({})

    async def _activity(self, name: str, key: str, args: Json) -> Json:
        (outcome,) = await self._flow.activities([Activity(name=name, key=key, args=args)])
        return outcome

    def _end(self, stopped: str, turns: int, *, value: Any = None, reason: str = "") -> Json:
        end = {"stopped": stopped, "messages": self._messages, "turns": turns, "value": value}
        if reason:
            end["reason"] = reason
        if self._telemetry:
            end["telemetry"] = dict(self._telemetry)
        return end


def _keys(plan: Json) -> list[str]:
    """Return the keys of the calls of a turn: the ids of the planner, unless it says otherwise."""
    keys: list[str] = plan.get("keys") or [call["tool_call_id"] for call in plan["message"].get("calls", ())]
    return keys


def _answer(call: Json, key: str, outcome: Json) -> Json:
    """Return the message that answers a call. Its id is that of the planner, or, without one, the key of the call."""
    answer = {
        "role": "tool",
        "content": outcome["content"],
        "name": call["name"],
        "tool_call_id": call["tool_call_id"] or key,
    }
    return {**answer, "is_error": True} if "kind" in outcome else answer
