"""The body of a run under an engine: plan, make the calls as activities, resume, until there is an answer.

A body is executed again after a crash, and must then do the same: whatever could differ, such as the kind of a tool, is
the outcome of an activity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from random import Random
from typing import TYPE_CHECKING, Any, Final

from toolgen.agents.planner import message_as_json
from toolgen.agents.runs import sum_telemetry
from toolgen.contract.records import NOTHING
from toolgen.engine.failures import Hope
from toolgen.engine.protocol import Activity
from toolgen.runtime.runs.schedule import Group, Rest, batches, rest_after

if TYPE_CHECKING:
    from toolgen.engine.protocol import Flow
    from toolgen.engine.requests import Json, RunRequest

ANSWER_TIMEOUT: Final = 30 * 24 * 3600.0
"""How long a run waits for a person, in seconds. After that the call is denied."""

_DOUBLINGS: Final = 50
"""After so many attempts a delay grows no more: 3 ** 50 is more than any bound, and still a float."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How often an engine repeats what failed, and when. Times are in seconds.

    A call is made `attempts` times: after `first` seconds, then after twice as long, at most `most`. Only calls that
    change nothing, or whose tool is tagged `idempotent`, are repeated, and only if they failed in a way that may pass.
    Who allowed a call allowed all its attempts, which have one idempotency key; they are asked again where an attempt
    would differ in anything that they were shown.

    A planner whose model is away, late or busy is asked again until this has taken `planner_seconds`, after random
    waits of `first` to `planner_most`, so that runs which failed together do not ask together again. A planner that
    fails in a way that tells nothing is asked `attempts` times, and one with a defect once. Raises ValueError for less
    than one attempt, for negative times, and for infinite ones.
    """

    attempts: int = 3
    first: float = 1.0
    most: float = 60.0
    planner_seconds: float = 6 * 3600.0
    planner_most: float = 300.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"attempts is {self.attempts}; it must be at least 1")
        for name in ("first", "most", "planner_seconds", "planner_most"):
            if not 0 <= getattr(self, name) < inf:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be a number of seconds, 0 or more")

    def delay(self, attempt: int, retry_after: float | None) -> float:
        """Return the seconds before the next attempt of a call, after `attempt` attempts."""
        doubled: float = self.first * 2 ** min(attempt - 1, _DOUBLINGS)
        return min(self.most, max(doubled, retry_after or 0.0))

    def planner_delay(self, attempt: int, retry_after: float | None, seed: str) -> float:
        """Return the seconds before a planner is asked again, after `attempt` attempts: the same for the same seed."""
        longest = max(self.first, min(self.planner_most, self.first * 3 ** min(attempt, _DOUBLINGS)))
        jitter = Random(f"{seed} {attempt}")  # noqa: S311  # it spreads attempts, and protects nothing
        return jitter.uniform(self.first, longest) + (retry_after or 0.0)


DEFAULT_RETRIES: Final = Retries()


class Body:
    """One execution of a run."""

    def __init__(self, flow: Flow, request: RunRequest, retries: Retries = DEFAULT_RETRIES) -> None:
        self._flow: Final = flow
        self._request: Final = request
        self._retries: Final = retries
        self._messages = [message_as_json(message) for message in request.messages]
        self._keys: Final[list[str]] = []
        self._granted: list[Any] = []
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
            outcomes = await self._turn(turn, plan, keys)
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
        """Plan the next step; a planner that fails is asked again as long as that may help.

        How often depends on outcomes only: the time is that of the waits, and what each attempt says that it took.
        """
        args = {"turn": turn, "messages": self._messages, "keys": self._keys}
        seed = f"{self._request.run_id} {turn}"
        left = self._retries.planner_seconds
        attempt = unknown = 0
        while True:
            attempt += 1
            plan = await self._activity("plan", f"plan {turn}.{attempt}", args, attempt)
            hope = plan.get("hope", Hope.NONE)
            left -= plan.get("seconds", 0.0)
            unknown += hope == Hope.UNKNOWN
            if "error" not in plan or hope == Hope.NONE or left <= 0 or unknown >= self._retries.attempts:
                return plan
            delay = min(left, self._retries.planner_delay(attempt, plan.get("retry_after"), seed))
            await self._flow.sleep(delay)
            left -= delay

    async def _turn(self, turn: int, plan: Json, keys: Sequence[str]) -> list[Json]:
        """Make the calls of a turn by the rules of `Runtime.turn`; return their outcomes, in order.

        If one of them ends the run, only the outcomes that came with it.
        """
        calls = plan["message"].get("calls", ())
        outcomes: dict[int, Json] = {}
        rest = Rest.RUN
        inline = plan.get("inline", ())
        tools = plan["tools"]
        for batch in batches(Group(group) for group, _ in tools):
            args = [
                {
                    "key": keys[at],
                    "place": f"{turn}.{at}",
                    "digest": tools[at][1],
                    "plan": plan.get("id", ""),
                    "inline": at in inline,
                    "call": calls[at],
                    "group": tools[at][0],
                }
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
            outcomes.update(zip(batch.places, made, strict=True))
            if any(map(is_failure, made)):  # the others are made when the run is resumed
                return made
        return [outcomes[place] for place in range(len(calls))]

    async def _made(self, calls: Sequence[Json]) -> list[Json]:
        """Make the calls of a batch together, after the answers that they need, and again where that may help.

        If one of them ends the run, nothing comes after it: what is made when the run is resumed takes its place.
        """
        outcomes: dict[int, Json] = {}
        waiting = dict(enumerate(calls))
        attempts = dict.fromkeys(waiting, 1)
        round_ = 0
        while waiting:
            round_ += 1
            made = await self._flow.activities(
                [
                    Activity(
                        name="inline" if args["inline"] else "call",
                        key=f"{args['key']} {round_}",
                        args={**args, "granted": tuple(self._granted)},
                        attempt=attempts[place],
                    )
                    for place, args in waiting.items()
                ]
            )
            self._note_grants(made)
            if any(map(is_failure, made)):
                return made
            asked: dict[int, Json] = {}
            waits: dict[int, Json] = {}
            delay = 0.0
            for (place, args), outcome in zip([*waiting.items()], made, strict=True):
                if "asks" in outcome:
                    asked[place] = outcome["asks"]
                elif "waits" in outcome:
                    waits[place] = outcome["waits"]
                elif outcome.get("may_repeat") and attempts[place] < self._retries.attempts:
                    delay = max(delay, self._retries.delay(attempts[place], outcome.get("retry_after")))
                    attempts[place] += 1
                    waiting[place] = args
                else:
                    outcomes[place] = outcome
                    del waiting[place]
            if asked:
                await self._answered(waiting, asked)
            if waits:
                await self._signalled(waiting, waits)
            if delay and not asked and not waits:
                await self._flow.sleep(delay)
        return [outcomes[place] for place in range(len(calls))]

    def _note_grants(self, made: Sequence[Json]) -> None:
        """Note which grants the run has after calls that were made together.

        One that was revoked meanwhile holds no more: whether it was given again after that is not known. Those of the
        run that this one was forked from are not its own.
        """
        noted = [each for outcome in made if (each := outcome.get("grants")) and each["run"] == self._request.run_id]
        revoked = [grant for each in noted for grant in each.get("revoked", ())]
        given = [grant for each in noted for grant in each.get("given", ())]
        self._granted = [grant for grant in (*self._granted, *given) if grant not in revoked]

    async def _answered(self, calls: dict[int, Json], asked: Mapping[int, Json]) -> None:
        """Wait until a person has answered what the calls at these places ask, and add the answers to them."""
        questions = {calls[place]["key"]: question for place, question in asked.items()}
        await self._flow.ask(questions)
        for place, question in asked.items():
            call = calls[place]
            answer = await self._flow.answer(call["key"], question, ANSWER_TIMEOUT)
            calls[place] = {**call, "answers": call.get("answers", 0) + 1, "answer": answer}
        await self._flow.ask({})

    async def _signalled(self, calls: dict[int, Json], waits: Mapping[int, Json]) -> None:
        """Wait for the signals that the calls at these places wait for, one after the other, and add them to these."""
        await self._flow.awaits(sorted({wait["name"] for wait in waits.values()}))
        for place, wait in waits.items():
            given = {"name": wait["name"], "signal": await self._flow.signal(wait["name"], wait["seconds"])}
            calls[place] = {**calls[place], "signals": [*calls[place].get("signals", ()), given]}
        await self._flow.awaits([])

    async def _activity(self, name: str, key: str, args: Json, attempt: int) -> Json:
        (outcome,) = await self._flow.activities([Activity(name=name, key=key, args=args, attempt=attempt)])
        return outcome

    def _end(self, stopped: str, turns: int, *, value: Any = None, reason: str = "") -> Json:
        end = {"stopped": stopped, "messages": self._messages, "turns": turns, "value": value}
        if reason:
            end["reason"] = reason
        if self._telemetry:
            end["telemetry"] = dict(self._telemetry)
        return end


def is_failure(outcome: Json) -> bool:
    """Whether the outcome of an activity ends the run: it has none that a run can go on with."""
    return "error" in outcome or "changed" in outcome


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
